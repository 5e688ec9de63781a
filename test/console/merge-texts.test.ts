import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cutLines } from '../../lib/console/web/screens/editor/keep-line-ends.js';
import {
  joinParts,
  mergeTexts,
  type Choice,
  type MergePart,
} from '../../lib/console/web/screens/editor/merge-texts.js';

const text = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Few different lines, so that random texts have much in common; all line ends, and a last line without one. */
const lines = fc.array(
  fc
    .tuple(fc.constantFrom('a', 'b', 'c', '', 'd'), fc.constantFrom('\n', '\n', '\r\n', '\r'))
    .map((pair) => pair.join('')),
  { maxLength: 12 },
);
const anyText = fc.tuple(lines, fc.constantFrom('', 'end')).map(([ended, last]) => ended.join('') + last);

describe('a three-way merge', () => {
  const base = text('one', 'two', 'three', 'four', 'five', 'six');

  it('takes both changes where they do not touch', () => {
    const theirs = base.replace('one', 'ONE');
    const mine = base.replace('six', 'SIX');
    assert.equal(merged(base, theirs, mine), text('ONE', 'two', 'three', 'four', 'five', 'SIX'));
    assert.deepEqual(kindsOf(mergeTexts(base, theirs, mine)), ['theirs', 'same', 'mine']);
  });

  it('asks where both changed one line, or lines beside each other', () => {
    for (const [theirs, mine] of [
      [base.replace('two', 'TWO'), base.replace('two', 'deux')],
      [base.replace('two', 'TWO'), base.replace('three', 'trois')],
      [base.replace('two\n', ''), base.replace('two', 'deux')],
      [base.replace('two\n', 'two\nnew\n'), base.replace('two\n', 'two\nother\n')],
    ] as const) {
      const parts = mergeTexts(base, theirs, mine);
      assert.deepEqual(kindsOf(parts), ['same', 'conflict', 'same']);
      assert.equal(joinParts(parts, new Map()), undefined);
      assert.equal(joinParts(parts, new Map([[1, 'mine']])), mine);
    }
  });

  it('takes a change once that both made', () => {
    const same = base.replace('two', 'TWO');
    assert.deepEqual(kindsOf(mergeTexts(base, same, same)), ['same', 'both', 'same']);
    assert.equal(merged(base, same, same), same);
  });

  it('gives theirs, mine, the base or both of a conflict', () => {
    const parts = mergeTexts(base, base.replace('two', 'TWO'), base.replace('two', 'deux'));
    const took = (choice: Choice): string | undefined => joinParts(parts, new Map([[1, choice]]));
    assert.equal(took('theirs'), base.replace('two', 'TWO'));
    assert.equal(took('mine'), base.replace('two', 'deux'));
    assert.equal(took('base'), base);
    assert.equal(took('both'), base.replace('two', 'TWO\ndeux'));
  });

  it('ends a last line that gets another one after it', () => {
    const parts = mergeTexts('a\r\nb', 'a\r\ntheirs', 'a\r\nmine');
    assert.equal(joinParts(parts, new Map([[1, 'both']])), 'a\r\ntheirs\nmine');
    assert.equal(merged('a\nb', 'a\nb\nmore', 'A\nb'), undefined);
  });

  it('counts a changed line end as a change', () => {
    const theirs = base.replaceAll('\n', '\r\n');
    assert.equal(merged(base, theirs, base), theirs);
    assert.equal(merged(base, base.trimEnd(), base), base.trimEnd());
    assert.deepEqual(kindsOf(mergeTexts(base, theirs, base.replace('two', 'TWO'))), ['conflict']);
  });

  it('has every side in its parts to the last byte, and a side nobody else changed is the result', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (before, theirs, mine) => {
        const parts = mergeTexts(before, theirs, mine);
        for (const [side, whole] of [
          ['base', before],
          ['theirs', theirs],
          ['mine', mine],
        ] as const) {
          assert.equal(parts.flatMap((part) => part[side]).join(''), whole);
          assert.equal(choose(parts, side), whole);
        }
        assert.equal(merged(before, theirs, before), theirs);
        assert.equal(merged(before, before, mine), mine);
        assert.equal(merged(before, mine, mine), mine);
      }),
      { numRuns: 2000 },
    );
  });

  it('a three-way merge gives the same result from both sides', () => {
    const swapped = { same: 'same', both: 'both', conflict: 'conflict', theirs: 'mine', mine: 'theirs' } as const;
    fc.assert(
      fc.property(anyText, anyText, anyText, (before, theirs, mine) => {
        const turned = mergeTexts(before, mine, theirs).map((part) => ({
          kind: swapped[part.kind],
          base: part.base,
          theirs: part.mine,
          mine: part.theirs,
        }));
        assert.deepEqual(turned, mergeTexts(before, theirs, mine));
      }),
      { numRuns: 1000 },
    );
  });

  it('loses no line of either side: each is in the result or in a conflict', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (before, theirs, mine) => {
        const kept = new Set(cutLines(before));
        const shown = mergeTexts(before, theirs, mine).flatMap((part) =>
          part.kind === 'conflict' ? [...part.theirs, ...part.mine] : part.kind === 'theirs' ? part.theirs : part.mine,
        );
        for (const line of [...cutLines(theirs), ...cutLines(mine)]) {
          assert.ok(kept.has(line) || shown.includes(line), JSON.stringify(line));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('finds each of 200 edits in 20,000 lines on both sides', () => {
    const long = Array.from({ length: 20_000 }, (_, index) => `line ${index % 700} of the document\n`);
    const edit = (offset: number, word: string): string =>
      long.map((line, index) => (index % 100 === offset ? `${word} ${index}\n` : line)).join('');
    const parts = mergeTexts(long.join(''), edit(10, 'theirs'), edit(60, 'mine'));
    const count = (kind: MergePart['kind']): number => parts.filter((part) => part.kind === kind).length;
    assert.deepEqual([count('theirs'), count('mine'), count('conflict')], [200, 200, 0]);
  });

  it('gives one large conflict, and soon, where the texts have nothing in common', () => {
    const long = (word: string): string =>
      Array.from({ length: 30_000 }, (_, at) => `${word} ${(at * 7919) % 97}\n`).join('');
    const parts = mergeTexts(long('base'), long('theirs'), long('mine'));
    assert.deepEqual(kindsOf(parts), ['conflict']);
  });
});

const kindsOf = (parts: readonly MergePart[]): string[] => parts.map(({ kind }) => kind);

const merged = (base: string, theirs: string, mine: string): string | undefined =>
  joinParts(mergeTexts(base, theirs, mine), new Map());

const choose = (parts: readonly MergePart[], choice: Choice): string | undefined =>
  joinParts(parts, new Map(parts.map((_, index) => [index, choice])));
