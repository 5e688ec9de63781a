import assert from 'node:assert/strict';
import type { BriefChange } from '../../lib/domain/brief.js';
import {
  isWithin,
  joinLocation,
  parseLocation,
  rebase,
  rootLocation,
  type Location,
} from '../../lib/domain/location.js';
import { deleteFolder } from '../../lib/operations/folders/delete-folder.js';
import { locationOfFolder } from '../../lib/view/locate.js';
import { countOf, seedOf } from '../support/counts.js';
import { makeRandom } from '../support/faults/load.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, describeChange, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('a brief says of what lies elsewhere where its reader knew it', () => {
  let service: TestService;
  let boss: Client;

  beforeEach(async () => {
    service = await openTestService();
    boss = await addClient({ service, workspace: service.workspace }, 'Boss', 'approver');
  });
  afterEach(() => service.close());

  it('by the place of that time, whatever stations were between', async () => {
    for (const name of ['w/a.md', 'w/k.md', 'f/one.md', 'g/one.md', 'd/one.md']) await boss.create(name);
    const since = await positionNow();
    await boss.rename('w/a.md', 'b.md');
    await boss.rename('w/b.md', 'c.md');
    await boss.rename('w/k.md', 'm.md');
    await boss.rename('w/m.md', 'k.md');
    await boss.rename('f', 'f2');
    await boss.rename('f2', 'f3');
    await boss.rename('g', 'g2');
    await boss.rename('g2', 'g');
    await boss.rename('d', 'd2');
    await boss.update('d2/one.md', 'new');
    await boss.rename('d2/one.md', 'two.md');
    await boss.delete('d2/two.md');
    assert.deepEqual(await newsSince(since), [
      'deleted d2/two.md (from d/one.md) by Boss',
      'moved f3/ (from f) by Boss',
      'moved w/c.md (from w/a.md) by Boss',
    ]);
  });

  it('and tells no move of a folder whose place another one has taken', async () => {
    for (const name of ['a/one.md', 'c/one.md']) await boss.create(name);
    const since = await positionNow();
    await boss.rename('a', 'b');
    await removeFolder('b');
    await boss.create('b/new.md');
    await boss.create('x/short.md');
    await boss.create('x/brief.md');
    await removeFolder('x');
    assert.deepEqual(await newsSince(since), ['created b/new.md by Boss', 'deleted b/ (from a) by Boss']);
  });

  const first = seedOf(1);
  for (const seed of Array.from(
    { length: countOf('BRIEF_PLACES', { usual: 1, campaign: 60 }) },
    (_, at) => first + at,
  )) {
    it(`through random histories (${seed})`, async () => {
      const chance = makeRandom(`places ${seed}`);
      const moments: { position: string; places: Map<number, Location> }[] = [];
      for (let step = 0; step < 90; step += 1) {
        if (step % 15 === 0) moments.push({ position: await positionNow(), places: placesNow() });
        await doSomething(chance);
      }
      const now = placesNow();
      for (const { position, places } of moments) compare(await changesSince(position), places, now);
    });
  }

  const removeFolder = (location: string) => boss.perform(deleteFolder, { location: parseLocation(location) });

  const positionNow = async (): Promise<string> => (await boss.brief({ keepsMark: true })).position;

  const newsSince = async (since: string, client = boss): Promise<string[]> =>
    (await changesSince(since, client)).map(describeChange);

  function placesNow(): Map<number, Location> {
    const { reader } = service.workspace.journal;
    const rows = reader.documents.placesAfter(0, 10_000);
    return new Map(
      rows.map(({ number, folder, name }) => [number, joinLocation(locationOfFolder(reader, folder), name)]),
    );
  }

  async function doSomething(chance: () => number): Promise<void> {
    const some = <Item>(items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item;
    const folders = ['a', 'b', 'a/c', 'b/c'];
    const names = ['one.md', 'two.md', 'three.md'];
    const place = (): string => `${some(folders)}/${some(names)}`;
    const requests: readonly (() => Promise<unknown>)[] = [
      () => boss.create(place()),
      () => boss.create(place()),
      () => boss.create(place()),
      () => boss.update(place(), `text ${chance()}`),
      () => boss.delete(place()),
      () => boss.undelete(place()),
      () => boss.rename(place(), some(names)),
      () => boss.move(place(), some(folders)),
      () => boss.rename(some(folders), some(['a', 'b', 'c', 'd'])),
      () => boss.rename('d', some(['a', 'b'])),
      () => boss.move(some(folders), some(['', 'a', 'b'])),
      () => (chance() < 0.4 ? removeFolder(some(folders)) : Promise.resolve()),
    ];
    await outcomeOf(some(requests)());
  }

  /** What is told, against what the reader knew (by number) and what is there now. */
  function compare(changes: readonly BriefChange[], before: Map<number, Location>, now: Map<number, Location>): void {
    const numbers = new Map([...now].map(([number, location]) => [location, number]));
    const told = new Set<number>();
    for (const { of, action, location, from } of changes) {
      if (of === 'folder' || action === 'deleted') continue;
      const number = numbers.get(location);
      assert.ok(number !== undefined, `${location} is there`);
      told.add(number);
      const known = before.get(number);
      assert.equal(from, known === location ? null : (known ?? null), `${action} ${location}`);
      assert.ok(action !== 'moved' || known !== location, `${location} is where it was`);
    }
    const moves = changes.filter(({ of, action }) => of === 'folder' && action === 'moved');
    for (const { location, from } of moves) assert.notEqual(location, from);
    for (const [number, location] of now) {
      const known = before.get(number);
      if (known === undefined || told.has(number)) continue;
      const [innermost] = moves
        .filter((each) => isWithin(each.location, location))
        .toSorted((a, b) => b.location.length - a.location.length);
      const expected =
        innermost === undefined ? location : rebase(location, innermost.location, innermost.from ?? rootLocation);
      assert.equal(known, expected, `${location}, by what was told of folders`);
    }
  }

  /** Every page of a brief since the position, which counts as nobody's last one. */
  async function changesSince(since: string, client = boss): Promise<BriefChange[]> {
    const changes: BriefChange[] = [];
    for (let after: string | null = ''; after !== null;) {
      const start = after === '' ? { since } : {};
      const page: Awaited<ReturnType<Client['brief']>> = await client.brief({
        ...start,
        after,
        limit: 4,
        keepsMark: true,
      });
      changes.push(...page.changes);
      after = page.next;
    }
    return changes;
  }
});
