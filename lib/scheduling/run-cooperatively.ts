import { yieldToLoop } from './yield-to-loop.js';

/** Milliseconds of work after which others get their turn. */
const slice = 8;

/** Runs work that says where it can rest, and lets others have their turn there whenever it has taken a while. */
export async function runCooperatively<Result>(work: Generator<void, Result>): Promise<Result> {
  let since = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < slice) continue;
    await yieldToLoop();
    since = performance.now();
  }
}
