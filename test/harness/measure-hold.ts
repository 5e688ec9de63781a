/** What can rest returns a generator that yields where it can; anything else is done in one stretch. */
export type Work = () => unknown;

/** Milliseconds of processor time between two rests, at most, of one run. */
function measureOnce(work: Work): number {
  let longest = 0;
  const take = <Result>(step: () => Result): Result => {
    const before = process.cpuUsage();
    try {
      return step();
    } finally {
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1000);
    }
  };
  const begun = take(work);
  if (typeof begun === 'object' && begun !== null && 'next' in begun) {
    const steps = begun as Generator<void, unknown>;
    for (let isDone = false; !isDone;) isDone = take(() => steps.next()).done === true;
  }
  return longest;
}

/**
 * The longest stretch for which work would hold the event loop, in milliseconds of processor time: what others do on
 * the machine does not count. The least of several runs, since a collection of garbage may fall into any of them; one
 * below the limit is enough.
 */
export function measureHold(work: Work, limit: number, runs = 5): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && least >= limit; run += 1) least = Math.min(least, measureOnce(work));
  return least;
}
