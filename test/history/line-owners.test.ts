import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { cutLines } from '../../lib/text/cut-lines.js';
import { diffSequences, Numbering } from '../../lib/text/diff-sequences.js';
import { LineOwners } from '../../lib/text/line-owners.js';
import { measureHold } from '../support/processes/measure-hold.js';

describe('the owners of lines', () => {
  it('are the texts that first had them', () => {
    assert.deepEqual(ownersOf(['one\ntwo\nthree\n']), [0, 0, 0]);
    assert.deepEqual(ownersOf(['one\nthree\n', 'one\ntwo\nthree\n']), [0, 1, 0]);
    assert.deepEqual(ownersOf(['one\ntwo\n', 'one\n2\n', 'zero\none\n2\n']), [2, 0, 1]);
    assert.deepEqual(ownersOf(['one\n', '', 'one\n']), [2]);
    assert.deepEqual(ownersOf(['']), []);
  });

  it('change with the end of a line alone', () => {
    assert.deepEqual(ownersOf(['one\ntwo', 'one\ntwo\n']), [0, 1]);
    assert.deepEqual(ownersOf(['one\ntwo\n', 'one\r\ntwo\n']), [1, 0]);
    assert.deepEqual(ownersOf(['one\ntwo', 'one\ntwo\nthree']), [0, 1, 1]);
  });

  it('equal those of a replay from the first text on, for any texts', () => {
    const line = fc.constantFrom('a', 'b', 'c', '', 'ä😀', 'a b');
    const text = fc
      .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('', '\n'))
      .map(([lines, end]) => lines.join('\n') + end);
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (texts) => {
        assert.deepEqual(ownersOf(texts), replay(texts));
      }),
    );
  });

  it('equal those of a replay for long texts with few changes', () => {
    const edit = fc.record({ at: fc.nat(), removed: fc.nat(3), added: fc.array(fc.nat(99), { maxLength: 3 }) });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
        let lines = Array.from({ length: 2000 }, (_, index) => `${'line '.repeat(index % 40)}${index}`);
        const texts = [lines.join('\n')];
        for (const { at, removed, added } of edits) {
          lines = lines.toSpliced(at % (lines.length + 1), removed, ...added.map(String));
          texts.push(lines.join('\n'));
        }
        assert.deepEqual(ownersOf(texts), replay(texts));
      }),
      { numRuns: 20 },
    );
  });

  it('are left open before a comparison that would take too much', () => {
    const tooLong = ownersOf([`first\n${'x\n'.repeat(50_001)}`, `first\n${'z\n'.repeat(9)}`, `first\nsecond\n`]);
    assert.deepEqual(tooLong, [undefined, 2]);
  });

  it('are left open once all comparisons together took too much', () => {
    const scramble = (seed: number): string =>
      Array.from({ length: 3000 }, (_, index) => String(((index * seed) % 3001) % 7)).join('\n');
    const texts = Array.from({ length: 50 }, (_, index) => scramble(index + 2));
    const owners = ownersOf([`always\n${texts.join('\n')}`, ...texts.map((text) => `always\n${text}`)]);
    assert.equal(owners[0], undefined);
  });

  it('are found in pieces that hold the event loop for under 50 ms', () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}`);
    const older = Buffer.from(lines.join('\n'));
    const newer = Buffer.from(lines.map((line, index) => (index % 250 === 0 ? `${line} new` : line)).join('\n'));
    const scrambled = Buffer.from(lines.map((_, index) => `line ${((index * 7919) % 50_000) % 1000}`).join('\n'));
    for (const [from, to] of [
      [older, newer],
      [older, scrambled],
      [scrambled, newer],
    ] as const) {
      const held = measureHold(function* work() {
        const owners = new LineOwners<number>(to);
        yield* owners.goBack(from, 1);
        yield* owners.describe();
      }, 50);
      assert.ok(held < 50, `${held} ms`);
    }
  });
});

/** The owner of each line of the last text; undefined where the walk gave up. */
function ownersOf(texts: readonly string[]): (number | undefined)[] {
  const owners = new LineOwners<number>(Buffer.from(texts.at(-1) ?? ''));
  let isCut = false;
  for (let newer = texts.length - 1; newer > 0 && !owners.isDone && !isCut; newer -= 1) {
    isCut = !runAtOnce(owners.goBack(Buffer.from(texts[newer - 1] ?? ''), newer));
  }
  if (!isCut) owners.finish(0);
  return runAtOnce(owners.describe()).flatMap(({ lines, owner }) => Array.from({ length: lines }, () => owner));
}

/** The same forwards: each text takes the owners of the lines that it shares with the one before. */
function replay(texts: readonly string[]): number[] {
  let lines: string[] = [];
  let owners: number[] = [];
  for (const [index, text] of texts.entries()) {
    const next = cutLines(text);
    const numbering = new Numbering();
    const effort = { steps: 1_000_000, comparisons: 1_000_000, isExhausted: false };
    const ranges = diffSequences(numbering.numberOf(lines), numbering.numberOf(next), effort);
    const before = owners;
    owners = ranges.flatMap(({ isSame, fromStart, fromEnd, toStart, toEnd }) =>
      isSame ? before.slice(fromStart, fromEnd) : Array.from({ length: toEnd - toStart }, () => index),
    );
    lines = next;
  }
  return owners;
}
