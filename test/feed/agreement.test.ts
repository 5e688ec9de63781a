import assert from 'node:assert/strict';
import { parseFolderLocation, parseLocation, rootLocation } from '../../lib/domain/location.js';
import { changeKinds, type Change, type ChangeKind } from '../../lib/domain/change.js';
import { endOfFeed } from '../../lib/feed/feed-position.js';
import type { FeedQuery } from '../../lib/feed/read-feed.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { countOf, seedOf } from '../support/counts.js';
import { Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { Consumer } from './feed-world.js';

const names = ['a', 'b', 'c'];
const folders = names.flatMap((x) => [x, ...names.map((y) => `${x}/${y}`)]);
const files = ['p.md', 'q.md', 'r.md', 's.md'];

const histories = countOf('FEED_HISTORIES', { usual: 3, campaign: 400 });
const seed = seedOf(20);

describe('the feed beside listings', function () {
  this.timeout(600_000);
  const done = new Map<string, number>();

  it('keeps a mirror equal to a listing, and names nothing else', async () => {
    for (let history = 0; history < histories; history++) {
      const own = seed * 1000 + history;
      try {
        await tell(makeChance(own * 7919 + 17));
      } catch (error) {
        throw new Error(`history ${own}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
    }
    assert.ok(done.has('revert') && done.has('restore'), 'something was reverted and restored');
    assert.ok(done.size >= 18, `only ${[...done.keys()].join(', ')} happened`);
  });

  async function tell(chance: Chance): Promise<void> {
    const test = await openTestService();
    try {
      const world = new World(test, chance);
      await world.meet();
      for (let made = 0; made < 8; made++) await world.doSomething();
      const consumers = world.people.flatMap((id) => [
        new Watched(test, id),
        new Watched(test, id, chance.of(folders)),
      ]);
      for (const each of consumers) each.note();
      for (let step = 0; step < 60; step++) {
        await world.doSomething();
        for (const each of consumers) {
          each.note();
          if (chance.below(5) > 0 || world.isDisabled(each.client.id)) continue;
          await each.poll(chance.of([1, 2, 3, 100]), someKinds(chance));
        }
      }
      for (const each of consumers) {
        if (world.isDisabled(each.client.id)) continue;
        do await each.poll(chance.of([1, 3, 100]), someKinds(chance));
        while (!each.isCurrent);
      }
      for (const [does, times] of world.done) done.set(does, (done.get(does) ?? 0) + times);
    } finally {
      await test.close();
    }
  }
});

/** A workspace, people in nested groups, and random doings in it. */
class World {
  readonly test: TestService;
  readonly admin: Client;
  readonly people: string[] = [];
  readonly groups: string[] = [];
  readonly done = new Map<string, number>();
  readonly #chance: Chance;

  constructor(test: TestService, chance: Chance) {
    this.test = test;
    this.#chance = chance;
    this.admin = new Client(test.workspace, operator.principalId);
  }

  async meet(): Promise<void> {
    for (const name of ['ada', 'ben', 'cem', 'dia']) this.people.push(await this.test.principal(name));
    for (const name of ['red', 'green', 'blue']) this.groups.push(await this.test.group(name));
  }

  #live(): string[] {
    return Array.from(this.test.workspace.view(operator).walk(rootLocation), ({ location }) => location);
  }

  #place(): string {
    const folder = this.#chance.of(['', ...folders, ...folders]);
    const file = this.#chance.of(files);
    return folder === '' ? file : `${folder}/${file}`;
  }

  #subject(): { type: 'principal' | 'group'; id: string } {
    return this.#chance.below(2) === 0
      ? { type: 'principal', id: this.#chance.of(this.people) }
      : { type: 'group', id: this.#chance.of(this.groups) };
  }

  /** Does something, or is refused. */
  async doSomething(): Promise<void> {
    const [does, work] = this.#chance.of(this.#doings());
    try {
      await work();
      this.done.set(does, (this.done.get(does) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    this.test.clock.advance(1000);
  }

  #doings(): (readonly [string, () => Promise<unknown>])[] {
    const { admin, test } = this;
    const chance = this.#chance;
    const live = this.#live();
    const some = live.length === 0 ? 'nothing' : chance.of(live);
    const role = chance.of(['reader', 'editor', 'approver'] as const);
    const often = <Each>(times: number, each: Each): Each[] => Array.from({ length: times }, () => each);
    return [
      ...often(8, ['create', () => admin.create(this.#place(), String(chance.below(5)))] as const),
      ...often(3, ['update', () => admin.update(some, String(chance.below(1000)))] as const),
      ...often(3, ['delete', () => admin.delete(some)] as const),
      ...often(3, ['undelete', () => admin.undelete(this.#place())] as const),
      ...often(3, ['rename', () => admin.rename(some, chance.of(files), true)] as const),
      ...often(4, ['move', () => admin.move(some, chance.of(['', ...folders]), true)] as const),
      ...often(3, ['rename folder', () => admin.rename(chance.of(folders), chance.of(names), true)] as const),
      ...often(4, ['move folder', () => admin.move(chance.of(folders), chance.of(['', ...folders]), true)] as const),
      ['delete folder', () => admin.deleteFolder(chance.of(folders))],
      ...often(2, ['undelete folder', () => admin.undeleteFolder(chance.of(folders))] as const),
      ...often(2, ['import', () => this.#import()] as const),
      ...often(6, ['grant', () => test.grant(role, this.#subject(), chance.of(['', ...folders]))] as const),
      ...often(8, ['revoke', () => this.#revoke()] as const),
      ...often(3, ['grant document', () => test.grant(role, this.#subject(), some, 'document')] as const),
      ...often(3, ['join', () => test.join(chance.of(this.groups), this.#subject())] as const),
      ...often(3, ['leave', () => test.leave(chance.of(this.groups), this.#subject())] as const),
      ['label', () => admin.labels('set', some, String(chance.below(3)))],
      ['comment', () => admin.comment(some, 'why?')],
      ['claim', () => admin.claim(some)],
      ['release', () => this.#release()],
      ['restore', () => this.#restore(some)],
      ...often(2, ['revert', () => this.#revert()] as const),
      ['erase', () => this.#erase(some)],
      ['disable', () => this.#disable()],
    ];
  }

  async #import(): Promise<void> {
    const into = parseFolderLocation(this.#chance.of(folders));
    await this.admin.perform(importDocuments, {
      into,
      files: files.slice(0, 3).map((name) => ({
        location: parseLocation(`${into}/${name}`),
        content: { bytes: Buffer.from(name) },
      })),
      message: 'an import',
    });
  }

  async #revoke(): Promise<void> {
    const { tables } = this.test.workspace.view(operator);
    const grants = tables.grants.atOrBelow(rootLocation);
    for (const { location, id } of this.test.workspace.view(operator).walk(rootLocation)) {
      for (const grant of tables.grants.on({ type: 'document', documentId: id })) {
        grants.push({ ...grant, scope: { type: 'folder', location } });
      }
    }
    if (grants.length === 0) return;
    const { scope, subject, role } = this.#chance.of(grants);
    if (scope.type !== 'folder') return;
    const isOfDocument = this.#live().includes(scope.location);
    await this.test.revoke(role, subject, scope.location, isOfDocument ? 'document' : 'folder');
  }

  async #release(): Promise<void> {
    const claim = this.test.workspace.view(operator).tables.claims.active(this.test.clock.now())[0];
    if (claim !== undefined) await this.admin.release(claim.id);
  }

  async #restore(location: string): Promise<void> {
    const { items } = await this.admin.history(location);
    const first = items.findLast((entry) => entry.type === 'version');
    if (first !== undefined) await this.admin.restore(location, first.version.id);
  }

  /** Undoes what was done at a place in the last moments. */
  async #revert(): Promise<void> {
    const place = this.#chance.of(['', ...folders]);
    const since = this.test.clock.now() - this.#chance.of([3000, 10_000]);
    const { digest } = await this.admin.previewRevert(operator.principalId, place, since);
    await this.admin.revert(operator.principalId, place, since, digest);
  }

  async #erase(location: string): Promise<void> {
    const { id } = await eraseAt(this.test.workspace, location);
    if (this.#chance.below(2) === 0) await this.test.workspace.eraser.finished(id);
  }

  /** A disabled person reads nothing, and goes on later where they were. */
  async #disable(): Promise<void> {
    const principalId = this.#chance.of(this.people);
    const isDisabled = this.test.workspace.view(operator).tables.principals.find(principalId)?.disabledAt !== null;
    await this.admin.perform(setPrincipalState, { principalId, disabled: !isDisabled });
  }

  isDisabled(principalId: string): boolean {
    return this.test.workspace.view(operator).tables.principals.find(principalId)?.disabledAt !== null;
  }
}

const goesAway = (change: Change): boolean => change.kind === 'left' || change.kind === 'deleted';

/** A consumer, with everything that it ever could have read. */
class Watched extends Consumer {
  readonly #ever = new Set<string>();

  #start: string | undefined;

  /** Requires that a feed of some kinds has the items of those kinds, whatever the size of its pages. */
  async #requireFiltered(kinds: ReadonlySet<ChangeKind>): Promise<void> {
    const all = await this.#readFrom(this.#start ?? '', { kinds: null, limit: 200 });
    const some = await this.#readFrom(this.#start ?? '', { kinds, limit: 2 });
    const told = new Set(some);
    assert.deepEqual(
      [...told],
      [...new Set(all)].filter((item) => kinds.has(item.split(' ')[0] as ChangeKind)),
    );
  }

  async #readFrom(after: string, query: Pick<FeedQuery, 'kinds' | 'limit'>): Promise<string[]> {
    const told: string[] = [];
    for (let next = after, isCurrent = false; !isCurrent;) {
      const page = await this.page({ ...query, after: next });
      told.push(...page.items.map(({ kind, id }) => `${kind} ${id}`));
      ({ next, isCurrent } = page);
    }
    return told;
  }

  /** Notes what it can read now. */
  note(): void {
    const view = this.client.workspace.view(this.client.caller);
    for (const { id, location } of view.walk(rootLocation)) this.#ever.add(`${id} ${location}`);
  }

  /** Reads a page twice, and requires that it tells nothing else than what can be read now. */
  async poll(limit: number, kinds: ReadonlySet<ChangeKind>): Promise<void> {
    this.#start ??= endOfFeed(this.client.workspace.view(this.client.caller));
    const again = await this.page({ limit });
    const items = await this.follow(limit);
    assert.deepEqual(items, again.items, 'the same page has the same items');
    const now = this.listing();
    for (const item of items) {
      const { id, location, etag } = item.document;
      if (!goesAway(item)) assert.equal(now.get(id), `${location} ${etag}`, `${item.kind} names what can be read now`);
      else if (location !== null) assert.ok(this.#ever.has(`${id} ${location}`), `${item.kind} names what was read`);
      else
        assert.ok(
          [...this.#ever].some((each) => each.startsWith(id)),
          'an erased document was read',
        );
    }
    await this.#requireFiltered(kinds);
    assert.ok(this.isCurrent || items.length === limit, 'a page is full, or up to now');
    if (this.isCurrent) assert.deepEqual(sorted(this.mirror), sorted(now), 'the mirror is the listing');
  }
}

const sorted = (map: Map<string, string>): string[] => [...map].map(([id, state]) => `${id} ${state}`).toSorted();

const someKinds = (chance: Chance): ReadonlySet<ChangeKind> => new Set(changeKinds.filter(() => chance.below(3) === 0));

/** A small generator, so that a history can be told again by its seed. */
function makeChance(seed: number): { below(count: number): number; of<Each>(these: readonly Each[]): Each } {
  let state = seed >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  const below = (count: number): number => next() % count;
  return {
    below,
    of: (these) => {
      const each = these[below(these.length)];
      assert.ok(each !== undefined, 'there is something to choose from');
      return each;
    },
  };
}

type Chance = ReturnType<typeof makeChance>;
