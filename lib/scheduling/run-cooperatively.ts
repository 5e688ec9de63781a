import { yieldToLoop } from './yield-to-loop.js';

/** Milliseconds of work before others get their turn. */
const slice = 8;

/** Runs work that yields where it can pause. Others get their turn there after a while of work. */
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
