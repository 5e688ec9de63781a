import assert from 'node:assert/strict';
import { failDeeds, type Part } from './failing-deeds.js';

/** A sample of the calls; `node dist/test/faults/failing-deeds.js` tries every one. */
describe('a disk that fails under renames, moves, returns, imports, reverts, comments, claims and erases', () => {
  for (const [part, git, from, every] of [
    ['repository', 'auto', 5, 61],
    ['repository', 'never', 17, 61],
    ['sidecar', 'auto', 40, 191],
    ['sidecar', 'never', 90, 191],
  ] as readonly [part: Part, git: 'auto' | 'never', from: number, every: number][]) {
    it(`when it is read or written (${part}, git: ${git}): done, or INTERNAL or UNAVAILABLE, and not by halves`, async () => {
      const { rounds } = await failDeeds(part, git, { from, every });
      assert.ok(rounds > 1, `only ${rounds} calls failed`);
    }).timeout(120_000);
  }
});
