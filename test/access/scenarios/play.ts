import assert from 'node:assert/strict';
import { Refusal } from '../../../lib/domain/refusal.js';
import { outcomeOf } from '../../support/store/actor.js';
import { openCast, type Cast } from '../../support/model/actors.js';

/** Plays one scenario of scenarios.md in a workspace of its own. */
export function scenario(number: number, title: string, play: (cast: Cast) => Promise<void>): void {
  it(`${number}. ${title}`, async () => {
    const cast = await openCast();
    try {
      await play(cast);
    } finally {
      await cast.service.close();
    }
  });
}

/** Every one of them is refused as what is not there. */
export async function isNotFound(...works: readonly Promise<unknown>[]): Promise<void> {
  for (const work of works) assert.equal(await outcomeOf(work), 'NOT_FOUND');
}

/** The details of the refusal that the work ends in. */
export async function detailsOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Refusal && error.details !== undefined) return error.details;
    throw error;
  }
  throw new Error('It was not refused.');
}
