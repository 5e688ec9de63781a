import assert from 'node:assert/strict';
import { FolderMoves } from '../../lib/audit/folder-moves.js';
import { isWithin, rebase, type Location } from '../../lib/domain/location.js';
import type { FolderMove } from '../../lib/sidecar/tables/audit-extent-table.js';
import { makeTestRandomness } from '../support/store/service.js';

describe('the moves of folders', () => {
  it('tell a folder that left from the next one of its name', () => {
    const moves = follow([
      [5, 'hr/eng', 'eng/eng'],
      [9, 'eng/eng', 'engine'],
    ]);
    assert.equal(moves.follow(place('hr/eng/a'), 4), 'engine/a');
    assert.equal(moves.follow(place('eng/eng'), 5), 'engine');
    assert.equal(moves.follow(place('eng/eng'), 9), 'eng/eng');
    assert.equal(moves.follow(place('eng'), 9), 'eng');
    assert.equal(moves.lastFrom(place('eng/eng/deep'), 10), 9);
    assert.equal(moves.lastFrom(place('eng/eng'), 9), 0);
  });

  it('hold for two folders that change their places in one commit', () => {
    const moves = follow([
      [3, 'a', 'b'],
      [3, 'b', 'a'],
    ]);
    assert.deepEqual([moves.follow(place('a/x'), 2), moves.follow(place('b'), 2)], ['b/x', 'a']);
    assert.deepEqual([moves.follow(place('a'), 3), moves.follow(place('b'), 3)], ['a', 'b']);
  });

  it('make no circle of a damaged history', () => {
    const moves = follow([
      [1, 'a', 'a/b/c'],
      [2, 'a/b', 'a'],
    ]);
    assert.equal(typeof moves.follow(place('a/b/c'), 0), 'string');
  });

  it('lead to the same place as folders that are followed one move after the other', () => {
    const draw = makeDraw('folders');
    for (let round = 0; round < 200; round += 1) {
      let live = new Map(['a', 'b', 'a/x', 'b/y', 'a/x/k', 'c'].map((each) => [each, each]));
      const states: [number, typeof live][] = [[0, live]];
      const moves: [number, string, string][] = [];
      for (let moment = 1; moment <= 12; moment += 1) {
        const all = [...live.keys()];
        const from = all[draw(all.length)] ?? assert.fail();
        const parents = ['', ...all].filter((each) => each === '' || !isWithin(place(from), place(each)));
        const parent = parents[draw(parents.length)] ?? '';
        const to = `${parent === '' ? '' : `${parent}/`}${'abcxyk'[draw(6)]}`;
        if (live.has(to)) continue;
        // A third of the time a new folder is made there.
        const isNew = draw(3) === 0;
        if (!isNew) moves.push([moment, from, to]);
        live = isNew
          ? new Map([...live, [to, `new at ${moment}`]])
          : new Map(
              [...live].map(([each, id]) => [
                isWithin(place(from), place(each)) ? rebase(place(each), place(from), place(to)) : each,
                id,
              ]),
            );
        states.push([moment, live]);
      }
      const present = new Map([...live].map(([at, id]) => [id, at]));
      const known = follow(moves);
      for (const [moment, state] of states) {
        for (const [at, id] of state) assert.equal(known.follow(place(at), moment), present.get(id), `${at} ${moment}`);
      }
    }
  });
});

const place = (text: string): Location => text as Location;

/** @param moves of one commit each, except where two have the same moment */
function follow(moves: readonly (readonly [moment: number, from: string, to: string])[]): FolderMoves {
  const all = new FolderMoves();
  const moments = new Set(moves.map(([moment]) => moment));
  for (const each of moments) {
    const some = moves.filter(([moment]) => moment === each);
    all.add(some.map(([moment, from, to]): FolderMove => ({ moment, from: place(from), to: place(to) })));
  }
  return all;
}

/** A random number below `count`. */
function makeDraw(seed: string): (count: number) => number {
  const randomness = makeTestRandomness(seed);
  return (count) => Buffer.from(randomness.bytes(4)).readUInt32BE() % count;
}
