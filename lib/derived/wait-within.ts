import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '../domain/refusal.js';

/** Milliseconds that a request waits. The work goes on. */
const maxWait = 45_000;

const stillMade = (): Refusal => {
  const message = 'Your repository is still being made. The work goes on; try again as Retry-After says.';
  return new Refusal('UNAVAILABLE', message, { retryAfter: 10 });
};

/**
 * Waits for work on a repository.
 * @param late what to say when it takes too long
 * @throws Refusal UNAVAILABLE when it takes too long; the signal's reason
 */
export async function waitWithin<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
  late: () => Refusal = stillMade,
): Promise<Result> {
  const over = new AbortController();
  const tooLong = delay(maxWait, undefined, { signal: over.signal, ref: false }).then(() => {
    throw late();
  });
  const stopped = new Promise<never>((_, reject) => {
    const stop = (): void => reject(signal?.reason as Error);
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { signal: over.signal });
  });
  tooLong.catch(() => undefined);
  stopped.catch(() => undefined);
  try {
    return await Promise.race([work, stopped, tooLong]);
  } finally {
    over.abort();
  }
}
