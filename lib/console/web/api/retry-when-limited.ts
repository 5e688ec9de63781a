import { asProblem } from './problem.ts';

const maxTries = 5;

/**
 * Retries work that the rate limit refuses: a large selection can meet it. Waits for `Retry-After`, five tries at most.
 * @throws Problem of any other refusal, and of the last try
 */
export async function retryWhenLimited<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  for (let left = maxTries; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      const { code, retryAfter } = asProblem(error);
      if (code !== 'RATE_LIMITED' || left <= 1 || signal?.aborted === true) throw error;
      await new Promise((resolve) => window.setTimeout(resolve, (retryAfter ?? 5) * 1000));
    }
  }
}

/** Does work for each item, a few at a time, in their order. Ends early when the signal says so. */
export async function forEachAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      if (signal?.aborted === true) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
