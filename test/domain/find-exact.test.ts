import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findBackwards, findForwards } from '../../lib/text/find-exact.js';
import { finish } from '../support/finish.js';

describe('looking for words in a text', () => {
  // Few letters and long patterns, so that many places nearly match and the engine's own search gives up.
  const letters = fc.string({ unit: fc.constantFrom('a', 'a', 'a', 'b'), maxLength: 200 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'a', 'b'), minLength: 1, maxLength: 30 });

  it('finds every place, overlapping ones too, in both directions', () => {
    fc.assert(
      fc.property(letters, pattern, fc.nat(200), fc.integer({ min: 1, max: 20 }), (text, words, from, most) => {
        const all = findPlainly(text, words);
        const after = all.filter((at) => at >= from);
        const before = all.filter((at) => at <= from).toReversed();
        assert.deepEqual(finish(findForwards(text, words, from, most)), after.slice(0, most));
        assert.deepEqual(finish(findBackwards(text, words, from, most)), before.slice(0, most));
      }),
      { numRuns: 1000 },
    );
  });

  it('finds places across a yield', () => {
    const text = `${'a'.repeat(70_000)}b${'a'.repeat(70_000)}b${'a'.repeat(70_000)}`;
    const words = `${'a'.repeat(69_990)}b`;
    assert.deepEqual(finish(findForwards(text, words, 0, 10)), [10, 70_011]);
    assert.deepEqual(finish(findBackwards(text, words, text.length, 10)), [70_011, 10]);
  });

  it('yields again and again in a long text in which every place nearly matches', () => {
    const text = 'a'.repeat(1024 * 1024);
    const words = `${'a'.repeat(999)}b`;
    for (const work of [findForwards(text, words, 0, 200), findBackwards(text, words, text.length, 200)]) {
      let rests = 0;
      while (work.next().done !== true) rests += 1;
      assert.ok(rests >= 15, `${rests} rests`);
    }
  });
});

/** Each place by comparing at each place. */
function findPlainly(text: string, pattern: string): number[] {
  return Array.from({ length: text.length }, (_, at) => at).filter((at) => text.startsWith(pattern, at));
}
