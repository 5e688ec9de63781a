import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { perform } from '../../lib/operations/perform.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { readStatus } from '../../lib/workspace/read-status.js';
import { operator } from '../support/store/service.js';
import { DerivedBench } from './derived-bench.js';

const hour = 60 * 60 * 1000;
const day = 24 * hour;

describe('Derived repositories that are not needed any more', function () {
  this.timeout(60_000);
  let world: DerivedBench;
  let people: string[];

  afterEach(() => world.close());

  it('go after thirty days without use', async () => {
    await open();
    await useInOrder();
    world.bench.clock.advance(29 * day);
    await world.derived.prepare(people[1] ?? '');
    await world.derived.sweep();
    assert.deepEqual(left(), [true, true, true]);
    world.bench.clock.advance(2 * day);
    await world.derived.sweep();
    assert.deepEqual(left(), [false, true, false], 'a fetch without anything new is a use');
  });

  it('go when they take more than they may, those first that were not used for longest', async () => {
    await open(0);
    await useInOrder();
    const held = world.derived.hold(await world.derived.prepare(people[0] ?? ''));
    await world.derived.sweep();
    assert.deepEqual(left(), [true, false, true], 'what is read stays, and what was used within the hour');
    held.release();
    world.bench.clock.advance(2 * hour);
    await world.derived.sweep();
    assert.deepEqual(left(), [false, false, false]);
  });

  it('go when their principal is disabled or has no grant left', async () => {
    await open();
    await useInOrder();
    const [one = '', two = ''] = people;
    await perform(world.bench.workspace, operator, setPrincipalState, { principalId: one, disabled: true });
    await world.revoke(two, 'reader', 'b');
    await world.derived.sweep();
    assert.deepEqual(left(), [false, false, true]);
  });

  it('are looked for from time to time, and what an earlier process took away half-way goes too', async () => {
    await open();
    await useInOrder();
    const rest = join(world.folder, '.removed', 'half', 'repository.git');
    await mkdir(rest, { recursive: true });
    await writeFile(join(rest, 'HEAD'), 'ref: refs/heads/main\n');
    await world.derived.sweep();
    assert.deepEqual(await world.list('.removed'), []);
    await world.revoke(people[0] ?? '', 'reader', 'a');
    await world.derived.sweep();
    assert.deepEqual(left(), [true, true, true], 'within ten minutes nothing is looked for again');
  });

  it('the status counts derived repositories that are not needed any more', async () => {
    await open();
    await useInOrder();
    const { derived } = await readStatus({ dataFolder: world.bench.files.dataFolder ?? '', name: 'acme', git: 'auto' });
    assert.equal(derived?.repositories, 3);
    assert.ok((derived?.bytes ?? 0) > 300);
  });

  const left = (): boolean[] => people.map((id) => world.has(id));

  async function open(derivedBudget?: number): Promise<void> {
    world = await DerivedBench.open({ derivedBudget });
    people = [];
    for (const folder of ['a', 'b', 'c']) {
      await world.bench.actor.create(`${folder}/one.md`, folder.repeat(5000));
      people.push(await world.person('reader', folder));
    }
  }

  /** Prepares each of them, an hour after the other. */
  async function useInOrder(): Promise<void> {
    for (const id of people) {
      world.bench.clock.advance(hour);
      await world.derived.prepare(id);
    }
  }
});
