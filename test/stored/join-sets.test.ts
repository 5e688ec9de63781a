import assert from 'node:assert/strict';
import { joinSets, newestGroup, type SetRange } from '../../lib/stored/join-sets.js';

const ranges = (...texts: readonly string[]): SetRange[] =>
  texts.map((text) => {
    const [first = 0, last = 0] = text.split('-').map(Number);
    return { first, last };
  });
const written = (sets: readonly SetRange[] | undefined): string | undefined =>
  sets?.map(({ first, last }) => `${first}-${last}`).join(' ');

describe('sets that make a file', () => {
  it('begin with a whole one and follow one another without a gap', () => {
    const sets = ranges('3-4', '0-2', '7-9', '5-6');
    assert.equal(written(joinSets(sets, 9)), '0-2 3-4 5-6 7-9');
    assert.equal(written(joinSets(sets, 6)), '0-2 3-4 5-6');
    assert.equal(joinSets(sets, 8), undefined, 'no set ends there');
    assert.equal(joinSets(ranges('0-2', '4-6'), 6), undefined, 'group 3 is missing');
    assert.equal(joinSets(ranges('1-2', '3-4'), 4), undefined, 'there is no whole one');
    assert.equal(newestGroup(sets), 9);
    assert.equal(newestGroup(ranges('0-2', '4-6', '3-3', '8-9')), 6);
    assert.equal(newestGroup(ranges('1-9')), undefined);
  });

  it('are few: merged ones are preferred to those that they hold', () => {
    const sets = ranges('0-1', '2-2', '3-3', '4-4', '2-4', '5-5', '2-5', '6-6');
    assert.equal(written(joinSets(sets, 6)), '0-1 2-5 6-6');
    assert.equal(written(joinSets(sets, 4)), '0-1 2-4');
  });

  it('are found where a merged one leads nowhere', () => {
    assert.equal(written(joinSets(ranges('0-1', '2-5', '2-3', '4-4', '5-6'), 6)), '0-1 2-3 4-4 5-6');
  });

  it('begin with any whole one that leads there', () => {
    assert.equal(written(joinSets(ranges('0-9', '0-4', '5-7'), 7)), '0-4 5-7');
    assert.equal(written(joinSets(ranges('0-9', '0-4', '5-7'), 9)), '0-9');
  });

  it('are found in little time among many thousand', () => {
    const many = ranges('0-0', ...Array.from({ length: 20_000 }, (_, index) => `${index + 1}-${index + 1}`));
    assert.equal(joinSets(many, 20_000)?.length, 20_001);
  });
});
