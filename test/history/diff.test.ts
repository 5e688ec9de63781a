import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatUnified, type DiffLine } from '../../lib/text/text-diff.js';
import { diffSequences, Numbering } from '../../lib/text/diff-sequences.js';
import { diffTexts, diffTextsInPieces } from '../../lib/text/diff-texts.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { makeRandom } from '../support/faults/load.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('the diff of two texts', () => {
  it('reads as a unified diff does', () => {
    const from = 'a\nb\nc\nd\ne\nf\ng\nh\n';
    const to = 'a\nb\nc\nD\ne\nf\ng\nh\ni';
    assert.equal(
      formatUnified(diffTexts(from, to, { context: 1 })),
      '@@ -3,3 +3,3 @@\n c\n-d\n+D\n e\n@@ -8,1 +8,2 @@\n h\n+i\n\\ No newline at end of file\n',
    );
  });

  it('is empty for equal texts, and counts lines', () => {
    assert.deepEqual(diffTexts('a\nb', 'a\nb'), { hunks: [], added: 0, removed: 0, isShortest: true });
    assert.deepEqual(diffTexts('', ''), { hunks: [], added: 0, removed: 0, isShortest: true });
    const { added, removed, hunks } = diffTexts('', 'a\nb\n');
    assert.deepEqual([added, removed, hunks[0]?.fromLine, hunks[0]?.fromLines], [2, 0, 0, 0]);
  });

  it('marks the changed words in a line', () => {
    const [hunk] = diffTexts('The quick brown fox.\n', 'The slow brown fox!\n').hunks;
    assert.deepEqual(hunk?.lines.map(marked), ['The [quick] brown fox[.]', 'The [slow] brown fox[!]']);
  });

  it('marks no words where the lines have nothing in common', () => {
    const [hunk] = diffTexts('one\n', 'two\n').hunks;
    assert.deepEqual(
      hunk?.lines.map(({ parts }) => parts),
      [null, null],
    );
  });

  it('distinguishes an added line end from a changed line', () => {
    const [hunk] = diffTexts('a', 'a\n').hunks;
    assert.deepEqual(
      hunk?.lines.map(({ kind, isEnded }) => [kind, isEnded]),
      [
        ['removed', false],
        ['added', true],
      ],
    );
  });

  it('always gives both texts back', () => {
    const line = fc.constantFrom('a', 'b', 'c', '', 'a b', 'a c', 'ä😀');
    const text = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (from, to) => {
        assert.equal(sideOf(from, to, 'from'), from === to ? '' : from);
        assert.equal(sideOf(from, to, 'to'), from === to ? '' : to);
      }),
    );
  });

  it('stays within its effort, and right, when that is too little for the shortest', () => {
    const items = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 200 });
    fc.assert(
      fc.property(items, items, fc.integer({ min: 0, max: 400 }), (from, to, steps) => {
        const effort = { steps, comparisons: steps, isExhausted: false };
        const stretches = diffSequences(from, to, effort);
        assert.ok(effort.steps >= -1, `${effort.steps} left of ${steps}`);
        let at = { from: 0, to: 0 };
        for (const { isSame, fromStart, fromEnd, toStart, toEnd } of stretches) {
          assert.deepEqual([fromStart, toStart], [at.from, at.to]);
          if (isSame) assert.deepEqual(from.slice(fromStart, fromEnd), to.slice(toStart, toEnd));
          at = { from: fromEnd, to: toEnd };
        }
        assert.deepEqual(at, { from: from.length, to: to.length });
      }),
    );
  });

  it('finds 200 edits in 20,000 lines as 200 edits', () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index % 500} of section ${index % 37}`);
    const edited = lines.map((line, index) => (index % 100 === 50 ? `${line} edited` : line));
    const diff = diffTexts(lines.join('\n'), edited.join('\n'));
    assert.deepEqual([diff.added, diff.removed, diff.hunks.length, diff.isShortest], [200, 200, 200, true]);
  });

  it('gives up on the shortest, and reports it, for 20,000 changed lines of few words', () => {
    const make = (seed: number): string =>
      Array.from({ length: 20_000 }, (_, index) => `${(index * seed) % 97} ${(index * index * seed) % 5}`).join('\n');
    const diff = diffTexts(make(31), make(57));
    assert.equal(diff.isShortest, false);
    assert.ok(diff.added > 0 && diff.removed > 0);
  });

  it('compares no more pairs than it may, in any texts, and yields', async () => {
    const random = makeRandom('lines');
    const make = (share: number): string =>
      Array.from({ length: 50_000 }, () => (random() < share ? 'a' : 'b')).join('\n');
    for (const [from, to] of [
      [make(0.5), make(0.5)],
      [make(0.98), make(0.98)],
      [make(1), make(0.999)],
    ] as const) {
      const effort = { steps: 150_000, comparisons: 1_000_000, isExhausted: false };
      const numbering = new Numbering();
      let asked = 0;
      const counted = (items: readonly number[]): readonly number[] =>
        new Proxy(items, {
          get: (target, name, receiver) => {
            asked += 1;
            return Reflect.get(target, name, receiver) as unknown;
          },
        });
      const [left, right] = [numbering.numberOf(from.split('\n')), numbering.numberOf(to.split('\n'))];
      diffSequences(counted(left), counted(right), effort);
      assert.ok(effort.comparisons >= -1, `${effort.comparisons} comparisons left`);
      assert.ok(asked < 20 * (left.length + right.length), `${asked} looks at the lines besides`);
      let rests = 0;
      const pieces = await diffTextsInPieces(from, to, async () => void (rests += 1));
      assert.deepEqual(pieces, diffTexts(from, to));
      assert.ok(rests >= 4, `${rests} rests`);
    }
    let rests = 0;
    const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index}`);
    const changed = lines.map((line, index) => (index % 2 === 0 ? line : `${line} new`));
    await diffTextsInPieces(lines.join('\n'), changed.join('\n'), async () => void (rests += 1));
    assert.ok(rests > 40_000 / 2000, `${rests} rests`);
  });

  it('takes one line of a million characters', () => {
    const line = 'word '.repeat(200_000);
    const [hunk] = diffTexts(`${line}end`, `start ${line}`).hunks;
    assert.equal(hunk?.lines.length, 2);
    assert.deepEqual(new Numbering().numberOf(['a', 'b', 'a']), [0, 1, 0]);
  });
});

describe('comparing versions of a document', () => {
  let service: TestService;
  let ada: Client;

  beforeEach(async () => {
    service = await openTestService();
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'editor');
  });
  afterEach(() => service.close());

  it('compares any two, in either direction', async () => {
    const first = (await ada.create('a.md', 'one\n')).current.id;
    await ada.update('a.md', 'two\n');
    const third = (await ada.update('a.md', 'three\n')).current.id;
    const { diff } = await ada.diff('a.md', first, third);
    assert.equal(formatUnified(diff ?? assert.fail()), '@@ -1,1 +1,1 @@\n-one\n+three\n');
    const back = await ada.diff('a.md', third, first);
    assert.equal(formatUnified(back.diff ?? assert.fail()), '@@ -1,1 +1,1 @@\n-three\n+one\n');
  });

  it('compares with the version before, and the first one with nothing', async () => {
    const first = (await ada.create('a.md', 'one\n')).current.id;
    await ada.update('a.md', 'two\n');
    assert.equal(formatUnified((await ada.diff('a.md')).diff ?? assert.fail()), '@@ -1,1 +1,1 @@\n-one\n+two\n');
    const made = await ada.diff('a.md', undefined, first);
    assert.equal(made.from, null);
    assert.equal(formatUnified(made.diff ?? assert.fail()), '@@ -0,0 +1,1 @@\n+one\n');
  });

  it('does not look into binary or very large content', async () => {
    await ada.create('a.bin', 'x\0y');
    assert.deepEqual([(await ada.diff('a.bin')).diff, (await ada.diff('a.bin')).why], [null, 'binary']);
    await ada.create('b.txt', '\n'.repeat(50_001));
    assert.deepEqual([(await ada.diff('b.txt')).diff, (await ada.diff('b.txt')).why], [null, 'too_large']);
    await ada.create('a.txt', 'x'.repeat(1024 * 1024 + 1));
    assert.deepEqual([(await ada.diff('a.txt')).diff, (await ada.diff('a.txt')).why], [null, 'too_large']);
  });

  it('is for readers, and knows only versions of the document', async () => {
    const first = (await ada.create('a.md', 'one')).current.id;
    const other = (await ada.create('b.md', 'one')).current.id;
    const stranger = await addClient({ service, workspace: service.workspace }, 'Ben');
    assert.equal(await outcomeOf(stranger.diff('a.md')), 'NOT_FOUND');
    assert.equal(await outcomeOf(ada.diff('a.md', other)), 'NOT_FOUND');
    assert.equal(await outcomeOf(ada.diff('a.md', first, other)), 'NOT_FOUND');
    assert.equal((await ada.diff('a.md', first)).isSame, true);
  });
});

const marked = ({ parts, text }: DiffLine): string =>
  parts === null ? text : parts.map((part) => (part.isChanged ? `[${part.text}]` : part.text)).join('');

/** Puts one side of a diff with all its context back together. */
function sideOf(from: string, to: string, side: 'from' | 'to'): string {
  const other = side === 'from' ? 'added' : 'removed';
  return diffTexts(from, to, { context: Number.MAX_SAFE_INTEGER })
    .hunks.flatMap(({ lines }) => lines)
    .filter(({ kind }) => kind !== other)
    .map(({ text, isEnded }) => `${text}${isEnded ? '\n' : ''}`)
    .join('');
}
