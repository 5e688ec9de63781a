import assert from 'node:assert/strict';
import { isWithin, parseFolderLocation, rootLocation, type Location } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import type { WebhookKind } from '../../lib/domain/webhook.js';
import type { Change } from '../../lib/domain/change.js';
import { endOfFeed } from '../../lib/feed/feed-position.js';
import { readFeed } from '../../lib/feed/read-feed.js';
import { changeWebhook } from '../../lib/operations/webhooks/change-webhook.js';
import { countOf, requireSeen, seedOf } from '../support/counts.js';
import { makeRandom } from '../support/faults/load.js';
import { Client } from '../support/store/client.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import type { Received } from '../support/webhooks/receiver.js';
import { HookedWorld } from './hooked-world.js';

const histories = countOf('WEBHOOK_HISTORIES', { usual: 1, campaign: 60 });
const seed = seedOf(14);
const rounds = 6;
const someKinds: readonly WebhookKind[] = ['created', 'moved', 'renamed', 'deleted', 'left'];
const places = ['team', 'team/a', 'team/a/b', 'other', 'other/c'];
const files = ['p.md', 'q.md', 'r.md'];

describe('Webhooks beside the feed of their owner', function () {
  this.timeout(600_000);

  it('tell the same changes in the same order, and keep the mirror of a folder that moves equal', async () => {
    const done = new Map<string, number>();
    for (let history = 0; history < histories; history += 1) {
      const name = `webhooks ${seed} ${history}`;
      const world = await HookedWorld.open({ store: 'disk-without-git', seed: name });
      try {
        const told = new History(world, makeRandom(name), done);
        await told.begin();
        for (let round = 0; round < rounds; round += 1) await told.act();
      } catch (error) {
        throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      } finally {
        await world.close();
      }
    }
    requireSeen(['create', 'move the folder', 'rename the folder', 'revoke', 'restart'], done, {
      count: histories,
      enough: 2,
    });
  });
});

/** Random doings around three webhooks of Ada's: of `team`, of some kinds there, and of a folder that moves about. */
class History {
  readonly #world: HookedWorld;
  readonly #random: () => number;
  readonly #done: Map<string, number>;
  #admin: Client;
  /** Where Ada's own feed of `team` goes on. */
  #cursor = '';
  #whole = '';
  #some = '';
  #moving = '';
  #isDeaf = false;
  /** What the receiver took since it was compared. */
  #taken: ReturnType<typeof read>[] = [];
  #marks = 0;
  readonly #wholeMirror = new Map<string, string>();
  readonly #mirror = new Map<string, string>();

  constructor(world: HookedWorld, random: () => number, done: Map<string, number>) {
    this.#world = world;
    this.#random = random;
    this.#done = done;
    this.#admin = new Client(world.test.workspace, operator.principalId);
  }

  get #ada(): { readonly type: 'principal'; readonly id: string } {
    return { type: 'principal', id: this.#world.ada.caller.principalId };
  }

  #of<Each>(these: readonly Each[]): Each {
    return these[Math.floor(this.#random() * these.length)] as Each;
  }

  async begin(): Promise<void> {
    const { test, receiver } = this.#world;
    receiver.answer = (response, received) => {
      if (!this.#isDeaf) this.#taken.push(read(received));
      response.writeHead(this.#isDeaf ? 503 : 204).end();
    };
    await test.grant('approver', this.#ada, 'other');
    for (const place of places) await this.#admin.create(`${place}/first.md`);
    this.#cursor = endOfFeed(test.workspace.view(this.#world.ada.caller));
    const hook = async (name: string, at: string, kinds: readonly WebhookKind[] | null): Promise<string> =>
      (await this.#world.hook({ name, location: parseFolderLocation(at), kinds })).webhook.id;
    this.#whole = await hook('whole', 'team', null);
    this.#some = await hook('some', 'team', someKinds);
    this.#moving = await hook('moving', 'team/a', null);
    for (const [id, state] of this.#listing('team')) this.#wholeMirror.set(id, state);
    for (const [id, state] of this.#listing('team/a')) this.#mirror.set(id, state);
  }

  /** Some doings while the receiver takes nothing, or while it takes everything. */
  async act(): Promise<void> {
    const isDeaf = this.#random() < 0.6;
    this.#isDeaf = isDeaf;
    for (let count = 0; count < 7; count += 1) {
      const [does, work] = this.#of(this.#doings());
      try {
        await work();
        this.#done.set(does, (this.#done.get(does) ?? 0) + 1);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
      // What is told depends on the rights of the moment: both readers have to look at the same ones.
      if (!isDeaf) await (does === 'revoke and grant' ? this.#comeTogether() : this.settle());
    }
    if (!isDeaf) return;
    if (this.#random() < 0.5) await this.#restart();
    this.#isDeaf = false;
    await this.#comeTogether();
  }

  #doings(): (readonly [string, () => Promise<unknown>])[] {
    const { test } = this.#world;
    const moving = this.#world.row(this.#moving).location;
    const all = [...places, moving, `${moving}/b`];
    const file = (): string => `${this.#of(all)}/${this.#of(files)}`;
    const live = [...this.#admin.workspace.view(operator).walk(rootLocation)].map(({ location }) => location);
    const some = this.#of(live);
    const often = <Each>(times: number, each: Each): Each[] => Array.from({ length: times }, () => each);
    return [
      ...often(4, ['create', () => this.#admin.create(file(), 'new')] as const),
      ...often(2, ['update', () => this.#admin.update(some, String(this.#random()))] as const),
      ['label', () => this.#admin.labels('set', some, String(this.#random()))],
      ['comment', () => this.#admin.comment(some, 'Why?')],
      ...often(2, ['delete', () => this.#admin.delete(some)] as const),
      ['undelete', () => this.#admin.undelete(file())],
      ...often(2, ['move', () => this.#admin.move(some, this.#of(all), true)] as const),
      ['rename', () => this.#admin.rename(some, this.#of(files), true)],
      ...often(2, [
        'move the folder',
        () => this.#admin.move(moving, this.#of(['team', 'other', 'other/c']), true),
      ] as const),
      ...often(2, ['rename the folder', () => this.#admin.rename(moving, this.#of(['a', 'x', 'y']), true)] as const),
      ['rename a folder above', () => this.#admin.rename('other/c', this.#of(['c', 'd']), true)],
      ['rename it back', () => this.#admin.rename('other/d', 'c', true)],
      ['revoke', () => test.revoke('approver', this.#ada, 'other')],
      ...often(2, ['grant', () => test.grant('approver', this.#ada, 'other')] as const),
      ['revoke and grant', () => this.#blink()],
    ];
  }

  /** Ada is nothing in `team` for a moment. */
  async #blink(): Promise<void> {
    await this.#world.test.revoke('approver', this.#ada, 'team');
    await this.#admin.create('team/unseen.md').catch(() => undefined);
    await this.#world.test.grant('approver', this.#ada, 'team');
  }

  async #restart(): Promise<void> {
    await this.#world.restart();
    const { test } = this.#world;
    this.#admin = new Client(test.workspace, operator.principalId);
    this.#done.set('restart', (this.#done.get('restart') ?? 0) + 1);
  }

  async #catchUp(): Promise<Change[]> {
    const { caller } = this.#world.ada;
    const { workspace } = this.#world.test;
    const asking = { principalId: caller.principalId, view: () => workspace.view(caller) };
    const all: Change[] = [];
    for (;;) {
      const query = { location: parseFolderLocation('team'), kinds: null, after: this.#cursor, limit: 100 };
      const { items, next, isCurrent } = await readFeed(asking, query);
      all.push(...items);
      this.#cursor = next;
      if (isCurrent) return all;
    }
  }

  #listing(place: string): Map<string, string> {
    const view = this.#world.test.workspace.view(this.#world.ada.caller);
    const found = new Map<string, string>();
    for (const { id, location, current } of view.walk(rootLocation)) {
      if (isWithin(place as Location, location)) found.set(id, `${location} ${current.id}`);
    }
    return found;
  }

  /** Lets everything be told, and compares it. */
  async settle(): Promise<void> {
    const expected = (await this.#catchUp()).map(({ id, kind, document }): Told => {
      return { id, kind, documentId: document.id, location: document.location, etag: document.etag };
    });
    const told = (webhook: string): Told[] =>
      this.#taken.filter((each) => each.webhook === webhook).map(({ webhook: _, ...each }) => each);
    const some = expected.filter(({ kind }) => someKinds.includes(kind as WebhookKind));
    await until(
      () => `the whole folder is told: ${names(told(this.#whole))} for ${names(expected)}`,
      async () => {
        await this.#goOn();
        return told(this.#whole).length >= expected.length && told(this.#some).length >= some.length;
      },
    );
    assert.deepEqual(told(this.#whole), expected);
    assert.deepEqual(told(this.#some), some);
    this.#followWhole();
    await this.#compareMirror(told);
    this.#taken = [];
  }

  /** The same where webhooks may have looked at moments in between: what they told leads to the same end. */
  async #comeTogether(): Promise<void> {
    const mark = `team/mark-${(this.#marks += 1)}.md`;
    await this.#admin.create(mark);
    await this.#catchUp();
    await until('both webhooks have told everything', async () => {
      await this.#goOn();
      const marked = this.#taken.filter(({ kind, location }) => kind === 'created' && location === mark);
      return [this.#whole, this.#some].every((id) => marked.some(({ webhook }) => webhook === id));
    });
    const some = this.#taken.filter(({ webhook }) => webhook === this.#some);
    assert.deepEqual(
      some.filter(({ kind }) => !someKinds.includes(kind as WebhookKind)),
      [],
    );
    this.#followWhole();
    await this.#compareMirror((id) => this.#taken.filter(({ webhook }) => webhook === id));
    this.#taken = [];
  }

  /** The mirror of the folder that stays. */
  #followWhole(): void {
    follow(
      this.#wholeMirror,
      this.#taken.filter(({ webhook }) => webhook === this.#whole),
    );
    assert.deepEqual(sorted(this.#wholeMirror), sorted(this.#listing('team')));
  }

  async #compareMirror(told: (webhook: string) => Told[]): Promise<void> {
    let followed = 0;
    const isSame = async (): Promise<boolean> => {
      await this.#goOn();
      const all = told(this.#moving);
      follow(this.#mirror, all.slice(followed));
      followed = all.length;
      // Where its owner is no approver, it is told nothing until that changes.
      if (!this.#mayBeTold()) return true;
      return sorted(this.#mirror).join('\n') === sorted(this.#listing(this.#place())).join('\n');
    };
    await until(
      () =>
        `the mirror of ${this.#place()} is the listing: ${sorted(this.#mirror).join(', ')} for ${sorted(this.#listing(this.#place())).join(', ')}; ${names(told(this.#moving))}`,
      isSame,
    );
  }

  #place(): string {
    return this.#world.row(this.#moving).location;
  }

  #mayBeTold(): boolean {
    const { reach } = this.#world.test.workspace.view(this.#world.ada.caller);
    return reach.holds('approver', this.#place() as Location);
  }

  /** Enables those that looked while their owner was no approver, and lets those try again that have failed. */
  async #goOn(): Promise<void> {
    for (const webhookId of [this.#whole, this.#some, this.#moving]) {
      const { stopped, location, nextAttemptAt } = this.#world.row(webhookId);
      const wait = (nextAttemptAt ?? 0) - this.#world.test.clock.now();
      if (wait > 0) this.#world.pass(wait);
      if (stopped === null) continue;
      assert.equal(stopped, 'owner');
      const { reach } = this.#world.test.workspace.view(this.#world.ada.caller);
      if (!reach.holds('approver', location as Location)) continue;
      await this.#world.do(changeWebhook, { webhookId, enabled: true });
    }
  }
}

const names = (told: readonly Told[]): string => told.map(({ kind, location }) => `${kind} ${location}`).join(', ');

const sorted = (map: ReadonlyMap<string, string>): string[] => [...map].map(([id, at]) => `${id} ${at}`).toSorted();

interface Told {
  readonly id: string;
  readonly kind: string;
  readonly documentId: string;
  readonly location: string | null;
  readonly etag: string | null;
}

function read({ body }: Received): Told & { readonly webhook: string } {
  const { type, data } = JSON.parse(body);
  const { id, location, etag } = data.document;
  return {
    webhook: data.webhook,
    id: data.id,
    kind: type.slice('document.'.length),
    documentId: id,
    location,
    etag: etag?.replaceAll('"', '') ?? null,
  };
}

function follow(mirror: Map<string, string>, told: readonly Told[]): void {
  for (const { kind, documentId, location, etag } of told) {
    if (kind === 'left' || kind === 'deleted') mirror.delete(documentId);
    else mirror.set(documentId, `${location} ${etag}`);
  }
}
