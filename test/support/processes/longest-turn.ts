import { readCpu } from './measure-hold.js';

/**
 * The longest turn of this process's event loop while work goes on by `await`, in milliseconds of processor time of
 * the main thread. Each turn is measured, however short it is. What else this process does in a turn counts too.
 */
export async function longestTurnOf(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = readCpu();
  let isDone = false;
  const look = (): void => {
    const now = readCpu();
    longest = Math.max(longest, now - last);
    last = readCpu();
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    isDone = true;
  }
  return Math.max(longest, readCpu() - last);
}
