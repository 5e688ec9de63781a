import assert from 'node:assert/strict';
import { choosePoints } from '../../lib/stored/choose-points.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.UTC(2027, 2, 10, 12, 30);

describe('the points that stay', () => {
  it('are every one of a day, the last of each hour of a week, and the last of each day of a month', () => {
    const moments = Array.from({ length: 60 * 24 * 60 }, (_, index) => now - index * minute);
    const kept = choosePoints(moments, now);
    const ages = [...kept].map((moment) => now - moment);
    const within = (from: number, to: number): number => ages.filter((age) => age > from && age <= to).length;
    assert.equal(within(-1, day), 24 * 60 + 1);
    assert.ok(Math.abs(within(day, 7 * day) - 6 * 24) <= 1);
    assert.ok(Math.abs(within(7 * day, 30 * day) - 23) <= 1);
    assert.equal(within(30 * day, Number.POSITIVE_INFINITY), 0);
    for (const age of ages.filter((each) => each > day + hour && each <= 7 * day)) {
      assert.equal(new Date(now - age).getUTCMinutes(), 59, 'the last of its hour');
    }
  });

  it('always have the newest one, however old it is', () => {
    const old = now - 400 * day;
    assert.deepEqual([...choosePoints([old - minute, old], now)], [old]);
    assert.deepEqual([...choosePoints([], now)], []);
  });

  it('have those of the future, when the clock went back', () => {
    const moments = [now + 3 * day, now + 2 * day, now];
    assert.deepEqual(new Set(choosePoints(moments, now)), new Set(moments));
  });
});
