import { setTimeout as delay } from 'node:timers/promises';

/** Longer than a busy machine takes, and shorter than mocha waits, so that the failure shows the sentence. */
const timeout = 25_000;

/**
 * Waits for work that runs in its own time: looks at once, and then again and again.
 * @param sentence the awaited state, for the failure: "git has ended"; a function may add what is there instead
 * @param condition returns a truthy value once it is so; `until` throws its errors
 * @param milliseconds after which it gives up
 * @returns the condition's value
 * @throws Error with the sentence when it gives up
 */
export async function until<Found>(
  sentence: string | (() => string),
  condition: () => Found | Promise<Found>,
  milliseconds = timeout,
): Promise<Exclude<Found, false | null | undefined>> {
  const end = performance.now() + milliseconds;
  for (let pause = 1; ; pause = Math.min(2 * pause, 20)) {
    const found = await condition();
    if (found) return found as Exclude<Found, false | null | undefined>;
    if (performance.now() > end) {
      const said = typeof sentence === 'string' ? sentence : sentence();
      throw new Error(`It did not come about in ${milliseconds} ms that ${said}.`);
    }
    await delay(pause);
  }
}
