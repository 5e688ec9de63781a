import { Rests } from './rests.js';

/** Runs work that yields where it can pause. Others get their turn there after a while of work. */
export async function runCooperatively<Result>(work: Generator<void, Result>): Promise<Result> {
  const rests = new Rests();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (rests.isDue) await rests.take();
  }
}
