import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { SignInDelay } from '../../lib/access/sign-in-delay.js';
import { openTestService, TestClock, type TestService } from '../support/store/service.js';

const day = 24 * 3_600_000;
const key = new Uint8Array(32).fill(7);

describe('the failures of signing in', () => {
  let test: TestService;
  beforeEach(async () => (test = await openTestService()));
  afterEach(() => test.close());

  it('are forgotten after a day, though the clock was a year ahead for a moment', () => {
    const clock = new SetClock();
    const tables = test.service.file.people;
    const delay = new SignInDelay(tables, clock, key);
    const isKnown = (name: string): boolean =>
      tables.failures.find(createHmac('sha256', key).update(`name:${name}`).digest()) !== undefined;
    clock.advance(365 * day);
    delay.begin('ada', '192.0.2.1');
    clock.advance(-365 * day);
    delay.begin('ben', '192.0.2.2');
    assert.ok(isKnown('ben'));
    clock.advance(day + 1);
    clock.sinceStart += day + 1;
    delay.begin('cleo', '192.0.2.3');
    assert.deepEqual([isKnown('ben'), isKnown('cleo')], [false, true]);
  });
});

/** The time of day is set by others; the time since the start goes on as it is. */
class SetClock extends TestClock {
  sinceStart = 0;

  override elapsed(): number {
    return this.sinceStart;
  }
}
