import { setTimeout as delay } from 'node:timers/promises';

/** Longer than a busy machine takes, and shorter than mocha waits, so that the sentence is what fails. */
const timeout = 25_000;

/**
 * Waits for what others do in their own time: looks at once, and then again and again.
 * @param sentence what is waited for, as it stands in the failure: "git has ended"
 * @param condition gives something truthy once it is so; what it throws, `until` throws
 * @param milliseconds after which it is given up
 * @returns what the condition gave
 * @throws Error with the sentence when it is given up
 */
export async function until<Found>(
  sentence: string,
  condition: () => Found | Promise<Found>,
  milliseconds = timeout,
): Promise<Exclude<Found, false | null | undefined>> {
  const end = performance.now() + milliseconds;
  for (let pause = 1; ; pause = Math.min(2 * pause, 20)) {
    const found = await condition();
    if (found) return found as Exclude<Found, false | null | undefined>;
    if (performance.now() > end) throw new Error(`It did not come about in ${milliseconds} ms that ${sentence}.`);
    await delay(pause);
  }
}
