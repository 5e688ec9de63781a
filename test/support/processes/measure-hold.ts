import { readFileSync } from 'node:fs';

const cpuFile = `/proc/self/task/${process.pid}/schedstat`;

/**
 * Milliseconds of processor time of the main thread, where the system reports it (Linux); else those of the process.
 * Threads left at work by earlier tests do not count.
 */
function readCpu(): number {
  try {
    return Number(readFileSync(cpuFile, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

/** Cooperative work returns a generator that yields where it can; other work is done in one piece. */
export type Work = () => unknown;

/** The most milliseconds of processor time between two yields of one run. */
function measureOnce(work: Work): number {
  let longest = 0;
  const take = <Result>(step: () => Result): Result => {
    const before = readCpu();
    try {
      return step();
    } finally {
      longest = Math.max(longest, readCpu() - before);
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
 * The longest time for which work would hold the event loop, in milliseconds of processor time, so that other processes
 * do not count. It is the least of several runs, since a collection of garbage may fall into any of them; one below the
 * limit is enough.
 */
export function measureHold(work: Work, limit: number, runs = 5): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && least >= limit; run += 1) least = Math.min(least, measureOnce(work));
  return least;
}
