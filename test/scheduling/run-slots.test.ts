import assert from 'node:assert/strict';
import { RunSlots } from '../../lib/scheduling/run-slots.js';

describe('the slots of syncs', () => {
  let served: string[];
  beforeEach(() => (served = []));

  it('go round between workspaces that always have a connector due', () => {
    const slots = new RunSlots(1);
    const takers = ['a', 'b', 'c'].map((name) => new Taker(name, slots, served));
    for (const taker of takers) taker.wake();
    for (let times = 0; times < 9; times += 1) takers.find(({ held }) => held.length > 0)?.end();
    assert.equal(served.join(''), 'aabcabcabc');
  });

  it('go round when there are several, too', () => {
    const slots = new RunSlots(3);
    const takers = ['a', 'b', 'c'].map((name) => new Taker(name, slots, served));
    for (const taker of takers) taker.wake();
    assert.equal(served.join(''), 'aaa');
    for (let times = 0; times < 6; times += 1) takers.find(({ held }) => held.length > 0)?.end();
    assert.equal(served.join(''), 'aaaabcabc');
  });

  it('all go to one that is alone', () => {
    const alone = new Taker('a', new RunSlots(3), served);
    alone.wake();
    alone.end();
    assert.equal(alone.held.length, 3);
  });

  it('pass by one that wants none any more', () => {
    const slots = new RunSlots(1);
    const [first, second, third] = [1, 1, 1].map((wants, at) => new Taker('abc'.charAt(at), slots, served, wants));
    for (const taker of [first, second, third]) taker?.wake();
    assert.ok(second !== undefined);
    second.wants = 0;
    first?.end();
    assert.equal(served.join(''), 'ac');
  });

  it('do not come to one that waits no longer, and come back once', () => {
    const slots = new RunSlots(1);
    const [first, second] = [new Taker('a', slots, served, 1), new Taker('b', slots, served, 1)];
    first.wake();
    second.wake();
    slots.forget(second.wake);
    const [release] = first.held;
    release?.();
    release?.();
    assert.deepEqual(served, ['a']);
    assert.ok(slots.take(first.wake) !== undefined);
    assert.equal(slots.take(first.wake), undefined);
  });
});

/** Takes as many slots as it can get, as a workspace does whose connectors are always due. */
class Taker {
  readonly #slots: RunSlots;
  readonly #served: string[];
  readonly name: string;
  readonly held: (() => void)[] = [];
  /** How many more it wants. */
  wants: number;

  constructor(name: string, slots: RunSlots, served: string[], wants = Number.POSITIVE_INFINITY) {
    this.name = name;
    this.#slots = slots;
    this.#served = served;
    this.wants = wants;
  }

  readonly wake = (): void => {
    while (this.wants > 0) {
      const release = this.#slots.take(this.wake);
      if (release === undefined) return;
      this.wants -= 1;
      this.#served.push(this.name);
      this.held.push(release);
    }
  };

  /** Its oldest run ends, and it asks at once for the next. */
  end(): void {
    this.held.shift()?.();
    this.wake();
  }
}
