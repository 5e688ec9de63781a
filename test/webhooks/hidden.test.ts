import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { createWebhook } from '../../lib/operations/webhooks/create-webhook.js';
import { perform } from '../../lib/operations/perform.js';
import { listWebhooks } from '../../lib/operations/webhooks/list-webhooks.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

/** More than a workspace would have under any limit of its own. */
const hiddenOwners = 6;
const most = 20;

describe('Webhooks that others have out of reach', () => {
  const services: TestService[] = [];
  afterEach(async () => {
    for (const each of services.splice(0)) await each.close();
  });

  const describe = (error: unknown): unknown => {
    assert.ok(error instanceof Refusal);
    return { code: error.code, message: error.message, details: error.details };
  };

  it('leave an approver the same room, the same refusal and the same list', async () => {
    const [empty, full] = [await open(), await open()];
    const others: Actor[] = [];
    for (const { add } of [empty, full]) {
      const [ada, bob] = [await add('team'), await add('other')];
      for (const each of [ada, bob]) await each.create(`${each === ada ? 'team' : 'other'}/start.md`);
      others.push(ada);
    }
    for (let owners = 0; owners < hiddenOwners; owners += 1) {
      const owner = await full.add('other');
      for (let count = 0; count < most; count += 1) await make(owner, 'other');
    }
    const [without, amidMany] = await Promise.all(others.map(seenBy));
    assert.deepEqual(amidMany, without);
    const { seen, pages } = without as { seen: readonly unknown[]; pages: number };
    assert.deepEqual([seen.length, pages], [most + 1, 3]);
    assert.match(JSON.stringify(seen.at(-1)), /You have 20 webhooks/);
  });

  it('are listed for approvers of their folder, of one above, and of several below, each once', async () => {
    const { test, add } = await open();
    const ada = await add('team');
    for (const place of ['team/a/x', 'team/a/y', 'team/b', 'team-two'])
      await new Actor(test.workspace, 'operator').create(`${place}/start.md`);
    const places = ['team', 'team/a', 'team/a/x', 'team/b'];
    for (const place of places) await make(ada, place, place);
    await make(await add('team-two'), 'team-two');
    const namesFor = async (by: Actor, location: string): Promise<readonly string[]> => {
      const input = { location: parseFolderLocation(location), after: '', limit: 50 };
      const { items } = (await perform(by.workspace, by.caller, listWebhooks, input)).result;
      return items.map(({ name }) => name).toSorted();
    };
    assert.deepEqual(await namesFor(ada, ''), places);
    assert.deepEqual(await namesFor(ada, 'team/a'), ['team/a', 'team/a/x']);
    assert.deepEqual(await namesFor(ada, 'team-two'), []);
    const low = await add('team/a/x');
    await test.grant('approver', { type: 'principal', id: low.caller.principalId }, 'team/a');
    await test.grant('approver', { type: 'principal', id: low.caller.principalId }, 'team/b');
    await test.grant('reader', { type: 'principal', id: low.caller.principalId }, 'team');
    assert.deepEqual(await namesFor(low, ''), ['team/a', 'team/a/x', 'team/b']);
    assert.equal(await outcomeOf(make(low, 'team')), 'NOT_FOUND');
  });

  const make = async (by: Actor, location: string, name = 'x') => {
    const input = { name, url: 'https://a.example/', location: parseFolderLocation(location), kinds: null };
    return (await perform(by.workspace, by.caller, createWebhook, input)).result.webhook;
  };

  async function open(): Promise<{ readonly test: TestService; readonly add: (at: string) => Promise<Actor> }> {
    const test = await openTestService();
    services.push(test);
    const add = async (at: string): Promise<Actor> => new Actor(test.workspace, (await test.person('approver', at)).id);
    return { test, add };
  }

  /** Everything that Ada can learn, without ids and times. */
  async function seenBy(ada: Actor): Promise<unknown> {
    const seen: unknown[] = [];
    for (let count = 0; count <= most; count += 1) seen.push(await make(ada, 'team', `${count}`).catch(describe));
    const list = (limit: number, after: string) => {
      const input = { location: parseFolderLocation(''), after, limit };
      return perform(ada.workspace, ada.caller, listWebhooks, input);
    };
    const names: string[] = [];
    let pages = 0;
    for (let after: string | null = ''; after !== null; pages += 1) {
      const { items, next }: Awaited<ReturnType<typeof list>>['result'] = (await list(7, after)).result;
      names.push(...items.map(({ name }) => name));
      after = next;
    }
    return { seen: seen.map((each) => (each as { name?: string }).name ?? each), names: names.toSorted(), pages };
  }
});
