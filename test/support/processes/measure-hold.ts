import { openSync, readSync } from 'node:fs';

/** What the system reports of the main thread (Linux), opened once: it is read before and after each step. */
let report: number | undefined;
const line = Buffer.alloc(80);

/**
 * Milliseconds of processor time of the main thread, where the system reports it (Linux); else those of the process.
 * Threads left at work by earlier tests do not count.
 */
export function readCpu(): number {
  try {
    report ??= openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const length = readSync(report, line, 0, line.length, 0);
    return Number(line.toString('latin1', 0, length).split(' ')[0]) / 1e6;
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
