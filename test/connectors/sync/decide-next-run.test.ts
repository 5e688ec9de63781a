import assert from 'node:assert/strict';
import { decideNextRun, type RunEnd } from '../../../lib/operations/connectors/decide-next-run.js';

const minute = 60_000;
const hour = 60 * minute;
const now = 1_000_000;

const connector = { interval: hour, failures: 0, idleRuns: 0 };

describe('the next run of a connector', () => {
  it('comes after the interval when something has changed', () => {
    assert.equal(pause({}), 60);
    assert.equal(pause({ outcome: 'partial' }), 60);
  });

  it('comes later and later while nothing changes, up to four intervals', () => {
    const pauses = [0, 4, 5, 11, 17, 23, 1000].map((idleRuns) => pause({ outcome: 'unchanged' }, { idleRuns }));
    assert.deepEqual(pauses, [60, 60, 120, 180, 240, 240, 240]);
  });

  it('comes after 1, 5, 30 and 180 minutes when runs fail', () => {
    const pauses = [0, 1, 2, 3, 4, 50].map((failures) => pause({ outcome: 'failed', fault: 'network' }, { failures }));
    assert.deepEqual(pauses, [1, 5, 30, 180, 180, 180]);
  });

  it('counts from the start again after a run that did not fail', () => {
    for (const outcome of ['changed', 'unchanged', 'partial', 'held'] as const) {
      assert.equal(decideNextRun({ ...connector, failures: 3 }, end({ outcome }), now).failures, 0);
    }
  });

  it('waits as long as the source asks, and no longer than a day', () => {
    assert.equal(pause({ outcome: 'failed', fault: 'rate', retryAfter: 600 }), 10);
    assert.equal(pause({ outcome: 'failed', fault: 'rate', retryAfter: 1 }), 1);
    assert.equal(pause({ outcome: 'failed', fault: 'rate', retryAfter: 1e12 }), 24 * 60);
  });

  it('does not come by itself after a fault that only people can mend', () => {
    for (const fault of ['auth', 'not_found', 'denied_egress', 'limit'] as const) {
      const after = decideNextRun(connector, end({ outcome: 'failed', fault, message: 'Mend it.' }), now);
      assert.deepEqual([after.state, after.stateReason, after.nextRunAt], ['stopped', 'Mend it.', null]);
    }
    for (const fault of ['rate', 'network', 'corrupt', 'internal', null] as const) {
      assert.equal(decideNextRun(connector, end({ outcome: 'failed', fault }), now).state, 'active');
    }
  });

  it('comes at once after an interruption, and after a pause when it is interrupted again', () => {
    assert.equal(pause({ outcome: 'interrupted' }), 0);
    assert.equal(pause({ outcome: 'interrupted' }, { failures: 1 }), 1);
    assert.equal(pause({ outcome: 'interrupted' }, { failures: 4 }), 180);
  });

  it('a connector run stays due when the service ends', () => {
    assert.equal(pause({ outcome: 'cancelled', isDue: true }), 0);
    assert.equal(pause({ outcome: 'cancelled' }), 60);
  });

  it('a connector run waits for an approval', () => {
    const after = decideNextRun(connector, end({ outcome: 'held', message: 'Look first.' }), now);
    assert.deepEqual([after.state, after.stateReason, after.nextRunAt], ['held', 'Look first.', null]);
  });
});

const end = (change: Partial<RunEnd>): RunEnd => ({ outcome: 'changed', fault: null, message: null, ...change });

/** Minutes until the next run; null for none. */
function pause(change: Partial<RunEnd>, state = {}): number | null {
  const { nextRunAt } = decideNextRun({ ...connector, ...state }, end(change), now);
  return nextRunAt === null ? null : (nextRunAt - now) / minute;
}
