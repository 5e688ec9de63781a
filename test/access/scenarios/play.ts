import assert from 'node:assert/strict';
import { Refusal } from '../../../lib/domain/refusal.js';
import { outcomeOf } from '../../support/store/actor.js';
import { openActors, type Actors } from '../../support/model/actors.js';
import type { RefusalDetails } from '../../../lib/domain/refusal-details.js';

/** Plays one scenario of scenarios.md in a workspace of its own. */
export function scenario(number: number, title: string, play: (actors: Actors) => Promise<void>): void {
  it(`${number}. ${title}`, async () => {
    const actors = await openActors();
    try {
      await play(actors);
    } finally {
      await actors.service.close();
    }
  });
}

/** Each of these requests is refused like one for an absent document. */
export async function isNotFound(...works: readonly Promise<unknown>[]): Promise<void> {
  for (const work of works) assert.equal(await outcomeOf(work), 'NOT_FOUND');
}

/** The refusal of a move that would widen access. */
export async function detailsOf(
  work: Promise<unknown>,
): Promise<RefusalDetails<'access_would_widen' | 'access_report_changed'>> {
  try {
    await work;
  } catch (error) {
    const details = error instanceof Refusal ? error.details : undefined;
    if (details?.reason === 'access_would_widen' || details?.reason === 'access_report_changed') return details;
    throw error;
  }
  throw new Error('It was not refused.');
}
