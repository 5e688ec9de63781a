import assert from 'node:assert/strict';
import { Refusal } from '../../lib/domain/refusal.js';
import { HeldSidecar } from '../../lib/journal/hold-sidecar.js';
import { schemaPath } from '../../lib/app/upgrade.js';
import { openSidecar } from '../../lib/sidecar/sidecar.js';
import { refuseUndecided } from '../../lib/sidecar/fault.js';
import { TestClock } from '../support/store/service.js';

describe('A request whose access cannot be decided', () => {
  for (const [isShort, reason] of [
    [true, 'storage_full'],
    [false, undefined],
  ] as const) {
    it(`says ${reason ?? 'no reason'} while the disk is ${isShort ? '' : 'not '}known to be full`, () => {
      const clock = new TestClock();
      const disk = { isShort };
      let fails = false;
      const held = new HeldSidecar({
        openSidecar() {
          if (fails) throw Object.assign(new Error('unable to open database file'), { code: 'SQLITE_CANTOPEN' });
          return openSidecar(':memory:', schemaPath('sidecar'));
        },
        disk,
        clock,
        onOpened: () => undefined,
        onFault: () => undefined,
      });
      fails = true;
      const file = held.get();
      Object.defineProperty(file, 'isInMemory', { value: false });
      held.startOver();
      assert.equal(
        reasonOf(() => held.get()),
        reason,
      );
      clock.advance(1000);
      assert.equal(
        reasonOf(() => held.get()),
        reason,
      );
      assert.equal(refuseUndecided(new Error('disk I/O error'), disk).details?.reason, reason);
    });
  }

  const reasonOf = (ask: () => unknown): string | undefined => {
    try {
      ask();
    } catch (error) {
      assert.ok(error instanceof Refusal);
      assert.equal(error.code, 'UNAVAILABLE');
      return error.details?.reason;
    }
    return assert.fail('nothing was refused');
  };
});
