import assert from 'node:assert/strict';
import { failActions, type Part } from './failing-deeds.js';
import { countOf } from '../support/counts.js';

/** One call in so many fails; `node dist/test/faults/failing-deeds.js` makes each call fail. */
const parts = countOf('FAILING_CALLS', { usual: 1, campaign: 12 });
describe('a disk that fails under renames, moves, undeletes, imports, reverts, comments, claims and erases', () => {
  for (const [part, git, from, every] of [
    ['repository', 'auto', 5, 61],
    ['repository', 'never', 17, 61],
    ['sidecar', 'auto', 40, 382],
    ['sidecar', 'never', 90, 382],
  ] as readonly [part: Part, git: 'auto' | 'never', from: number, every: number][]) {
    it(`when it is read or written (${part}, git: ${git}): done, or INTERNAL or UNAVAILABLE, and not by halves`, async () => {
      const { rounds } = await failActions(part, git, { from, every: Math.max(1, Math.floor(every / parts)) });
      assert.ok(rounds > 1, `only ${rounds} calls failed`);
    }).timeout(120_000 * parts);
  }
});
