import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import { choosePacks } from '../../lib/derived/choose-packs.js';
import { planMoves } from '../../lib/derived/plan-moves.js';

const author = { id: 'prn_a', kind: 'person', displayName: 'Ada' } as const;

describe('a plan of moves', () => {
  it('has a commit for each event, in their order', () => {
    assert.deepEqual(plan(move('b > c', 2), move('a > x', 1), move('d > ', 3), move('e > y', 2)), [
      '1: a > x',
      '2: b > c, e > y',
      '3: d > ',
    ]);
  });

  it('joins events up to the one that makes room', () => {
    assert.deepEqual(plan(move('b > a', 1), move('x > y', 2), move('a > b', 3), move('p > q', 4)), [
      '3: a > b, b > a, x > y',
      '4: p > q',
    ]);
  });

  it('lets a folder wait for the document at its place, and a document for the folder', () => {
    assert.deepEqual(plan(move('x > a/b/c', 1), move('a > z', 2)), ['2: a > z, x > a/b/c']);
    assert.deepEqual(plan(move('x > a', 1), move('a/b/c > z', 2)), ['2: a/b/c > z, x > a']);
    assert.deepEqual(plan(move('x > a', 1), move('a/b/c > ', 2)), ['2: a/b/c > , x > a']);
  });

  it('takes a folder with all that is in it as one event', () => {
    assert.deepEqual(plan(move('a/1 > a/a/1', 1), move('a/a/1 > a/a/a/1', 1)), ['1: a/1 > a/a/1, a/a/1 > a/a/a/1']);
  });

  it('is quick for ten thousand documents that all change places with each other', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `deep/folder/number/${index % 100}/document ${index}`);
    const moves = names.map((name, index) => move(`${name} > ${names[(index + 1) % names.length]}`, index));
    const planned = planMoves(moves);
    assert.equal(planned.length, 1);
    assert.equal(planned[0]?.displaced.length, names.length);
  });

  it('puts every move into exactly one commit', () => {
    const moves = [move('a > b', 5), move('c > d/e', 5), move('f > ', 6), move('b > c', 9)];
    const planned = planMoves(moves).flatMap(({ displaced }) => displaced.map(({ id }) => id));
    assert.deepEqual(planned.toSorted(), moves.map(({ id }) => id).toSorted());
  });
});

describe('a choice of packs', () => {
  it('the choice of packs does not join packs while there are few', () => {
    assert.equal(choosePacks([]), 0);
    assert.equal(choosePacks([1, 1, 1]), 3);
  });

  it('keeps the number of packs small, however often a repository grows, and copies each object seldom', () => {
    let sizes: number[] = [1_000_000];
    let copied = 0;
    for (let growth = 0; growth < 5000; growth += 1) {
      sizes.push(1000 + (growth % 7) * 300);
      const kept = choosePacks(sizes);
      if (kept === sizes.length) continue;
      const joined = sizes.slice(kept).reduce((sum, bytes) => sum + bytes, 0);
      copied += joined;
      sizes = [...sizes.slice(0, kept), joined];
      assert.ok(sizes.length <= 41, `${sizes.length} packs`);
    }
    const all = sizes.reduce((sum, bytes) => sum + bytes, 0);
    assert.ok(copied < 20 * all, `${copied} of ${all} bytes were copied`);
  });
});

const plan = (...moves: readonly ReturnType<typeof move>[]): string[] =>
  planMoves(moves).map(
    ({ placing, displaced }) =>
      `${placing.moment}: ${displaced.map(({ from, to }) => `${from ?? ''} > ${to ?? ''}`).join(', ')}`,
  );

/** `from > to` at a moment; nothing behind the arrow is a deletion. */
function move(text: string, moment: number) {
  const [from = '', to = ''] = text.split(' > ');
  const place = (part: string): Location | null => (part === '' ? null : (part as Location));
  const placing = { moment, author, at: moment * 1000 };
  return { id: text, number: moment, from: place(from), to: place(to), sequence: 1, placing };
}
