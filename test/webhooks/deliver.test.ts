import assert from 'node:assert/strict';
import { AnswerTime } from '../../lib/journal/answer-time.js';
import { Housekeeper } from '../../lib/journal/housekeep.js';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import {
  changeWebhook,
  replayDeliveries,
  rotateWebhookSecret,
  removeWebhook,
} from '../../lib/operations/webhooks/change-webhook.js';
import { pauses } from '../../lib/operations/webhooks/note-delivery.js';
import { readWebhook } from '../../lib/operations/webhooks/list-webhooks.js';
import { testWebhook } from '../../lib/operations/webhooks/test-webhook.js';
import { Actor } from '../support/store/actor.js';
import { eraseAt } from '../support/store/erase-at.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { HookedWorld } from './hooked-world.js';
import { isSigned, type Received } from '../support/webhooks/receiver.js';

const day = 24 * 60 * 60_000;

describe('A webhook', () => {
  let world: HookedWorld;

  beforeEach(async () => {
    world = await HookedWorld.open();
  });
  afterEach(() => world.close());

  it('tells what changes from now on, signed by the convention, with ids and locations and no content', async () => {
    const { webhook, secret } = await world.hook();
    assert.match(secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
    const made = await world.ada.create('team/plan.md', 'the content');
    await world.told(1);
    const [message] = world.receiver.received as [Received];
    assert.ok(isSigned(message, secret ?? ''));
    assert.ok(!isSigned({ ...message, body: message.body.replace('plan', 'flan') }, secret ?? ''));
    const { type, data } = JSON.parse(message.body) as { type: string; data: Record<string, unknown> };
    assert.equal(type, 'document.created');
    assert.equal(data['workspace'], 'acme');
    assert.equal(data['webhook'], webhook.id);
    assert.deepEqual(data['document'], { id: made.id, location: 'team/plan.md', etag: `"${made.current.id}"` });
    assert.deepEqual(data['actor'], { id: world.ada.caller.principalId, kind: 'person', display_name: 'Ada' });
    assert.ok(!message.body.includes('the content'));
  });

  it('tells in order, each message once, while its receiver answers', async () => {
    const { webhook } = await world.hook();
    const names = Array.from({ length: 8 }, (_, each) => `team/${each}.md`);
    for (const name of names) await world.ada.create(name);
    await world.noted(webhook.id, 8);
    assert.deepEqual(
      world.receiver.told(),
      names.map((name) => `document.created ${name}`),
    );
    assert.equal(new Set(world.receiver.ids()).size, 8);
  });

  it('tells only the kinds that it asks for, at its folder', async () => {
    const { webhook } = await world.hook({ kinds: ['updated'] });
    await world.ada.create('team/a.md');
    await world.ada.update('team/a.md', 'new');
    await world.noted(webhook.id, 1);
    assert.deepEqual(world.receiver.told(), ['document.updated team/a.md']);
  });

  it('sends a failed message again after the pauses of the convention, under one id, and is disabled after the last', async () => {
    world.receiver.answerWith(500, {}, 'broken');
    const { webhook } = await world.hook();
    await world.ada.create('team/a.md');
    for (const [failed, pause] of pauses.entries()) {
      await world.noted(webhook.id, failed + 1);
      const { nextAttemptAt, failures } = world.row(webhook.id);
      assert.deepEqual([failures, nextAttemptAt], [failed + 1, world.test.clock.now() + pause]);
      world.pass(pause - 1);
      assert.equal(world.receiver.received.length, failed + 1);
      world.pass(1);
    }
    await until('it is disabled', () => world.row(webhook.id).stopped === 'failed');
    assert.equal(world.receiver.received.length, pauses.length + 1);
    assert.equal(new Set(world.receiver.ids()).size, 1);
    const [last] = await world.attempts(webhook.id);
    assert.deepEqual([last?.outcome, last?.status, last?.answer], ['failed', 500, 'broken']);
    world.receiver.recover();
    await world.ada.create('team/b.md');
    await world.do(changeWebhook, { webhookId: webhook.id, enabled: true });
    await world.told(pauses.length + 3);
    assert.deepEqual(world.receiver.told().slice(-2), ['document.created team/a.md', 'document.created team/b.md']);
  });

  it('is disabled at once when the receiver is gone', async () => {
    world.receiver.answerWith(410);
    const { webhook } = await world.hook();
    await world.ada.create('team/a.md');
    await until('it is disabled', () => world.row(webhook.id).stopped === 'gone');
  });

  it('waits as long as the receiver asks', async () => {
    world.receiver.answerWith(429, { 'retry-after': '600' });
    const { webhook } = await world.hook();
    await world.ada.create('team/a.md');
    await world.noted(webhook.id, 1);
    assert.equal(world.row(webhook.id).nextAttemptAt, world.test.clock.now() + 600_000);
  });

  it('sends nothing more when its owner is no approver there any more, or is disabled', async () => {
    const { webhook } = await world.hook();
    await world.test.revoke('approver', { type: 'principal', id: webhook.owner.id }, 'team');
    await world.test.grant('editor', { type: 'principal', id: webhook.owner.id }, 'team');
    await world.ada.create('team/secret.md');
    await until('it is disabled', () => world.row(webhook.id).stopped === 'owner');
    const root = { caller: operator };
    const enable = { webhookId: webhook.id, enabled: true };
    await assert.rejects(world.do(changeWebhook, enable, root), /no approver of its location any more/);
    await world.test.grant('approver', { type: 'principal', id: webhook.owner.id }, 'team');
    await world.do(setPrincipalState, { principalId: webhook.owner.id, disabled: true }, root);
    await assert.rejects(world.do(changeWebhook, enable, root), /Its owner is disabled/);
    assert.deepEqual(world.receiver.told(), []);
  });

  it('is turned elsewhere and repeated by its owner alone, though others may manage it', async () => {
    const { webhook } = await world.hook();
    await world.ada.create('team/a.md');
    await world.noted(webhook.id, 1);
    const bob = new Actor(world.test.workspace, (await world.test.person('approver', 'team', 'Bob')).id);
    const webhookId = webhook.id;
    const elsewhere = await world.another();
    await assert.rejects(
      world.do(changeWebhook, { webhookId, url: elsewhere.url.replace('http:', 'https:') }, bob),
      /only its owner/,
    );
    await assert.rejects(world.do(replayDeliveries, { webhookId, delivery: 1 }, bob), /only its owner/);
    assert.equal((await world.do(changeWebhook, { webhookId, name: 'Bob’s', enabled: false }, bob)).stopped, 'by_hand');
    assert.equal((await world.do(replayDeliveries, { webhookId, delivery: 1 })).id, webhookId);
  });

  it('forgets its attempts after thirty days', async () => {
    const { webhook } = await world.hook();
    await world.ada.create('team/a.md');
    await world.noted(webhook.id, 1);
    world.pass(20 * day);
    await world.ada.create('team/b.md');
    await world.noted(webhook.id, 2);
    const { journal, clock } = world.test.workspace;
    const sweepFiles = (): Promise<void> => Promise.resolve();
    const answerTime = new AnswerTime(clock);
    const onFault = (cause: unknown): never => assert.fail(String(cause));
    const keeper = new Housekeeper({ journal, clock, answerTime, sweepFiles, onFault });
    const kept = async (): Promise<number[]> => {
      await keeper.sweep();
      return (await world.attempts(webhook.id)).map(({ number }) => number);
    };
    world.pass(10 * day);
    assert.deepEqual(await kept(), [2, 1]);
    world.pass(1);
    assert.deepEqual(await kept(), [2]);
    world.pass(20 * day);
    assert.deepEqual(await kept(), []);
  });

  it('asks for nothing when something changes that its owner cannot reach', async () => {
    const { test } = world;
    const bob = new Actor(test.workspace, (await test.person('approver', 'other', 'Bob')).id);
    const { webhook } = await world.hook();
    const seen = await world.do(readWebhook, { webhookId: webhook.id });
    const somebody = { type: 'principal', id: await test.principal('Somebody') } as const;
    for (const name of ['a', 'b']) await bob.create(`other/${name}.md`);
    await bob.rename('other/a.md', 'c.md');
    await bob.delete('other/c.md');
    await test.grant('reader', somebody, 'other');
    await test.revoke('reader', somebody, 'other');
    const { id } = await eraseAt(test.workspace, 'other/b.md');
    await test.workspace.eraser.finished(id);
    assert.deepEqual(await world.do(readWebhook, { webhookId: webhook.id }), seen);
    await world.ada.create('team/a.md');
    await world.told(1);
    assert.deepEqual(world.receiver.told(), ['document.created team/a.md']);
  });

  it('signs with both secrets for a day after a rotation, and with the new one from then on', async () => {
    world.test.clock.advance(-day - 60_000);
    const { webhook, secret: former } = await world.hook();
    const { secret } = await world.do(rotateWebhookSecret, { webhookId: webhook.id, isAtOnce: false });
    assert.notEqual(secret, former);
    world.pass(day);
    await world.ada.create('team/a.md');
    await world.told(1);
    world.pass(60_000);
    await world.ada.create('team/b.md');
    await world.told(2);
    const [before, after] = world.receiver.received.map(
      ({ headers }) => headers['webhook-signature']?.split(' ').length,
    );
    assert.deepEqual([before, after], [1, 1]);
    const [, last] = world.receiver.received as [Received, Received];
    assert.deepEqual([isSigned(last, secret ?? ''), isSigned(last, former ?? '')], [true, false]);
    const next = await world.do(rotateWebhookSecret, { webhookId: webhook.id, isAtOnce: false });
    await world.ada.create('team/c.md');
    await world.told(3);
    const both = world.receiver.received[2] as Received;
    assert.deepEqual([isSigned(both, secret ?? ''), isSigned(both, next.secret ?? '')], [true, true]);
  });

  it('keeps a secret for its whole day: a second rotation waits, or ends all former secrets at once', async () => {
    const { webhook, secret: first } = await world.hook();
    const rotate = (isAtOnce: boolean) => world.do(rotateWebhookSecret, { webhookId: webhook.id, isAtOnce });
    const { secret: second } = await rotate(false);
    await assert.rejects(rotate(false), /Two secrets sign its messages until 20.*\(--now\)/);
    await world.ada.create('team/a.md');
    await world.told(1);
    const signed = (by: string | null) => isSigned(world.receiver.received.at(-1) as Received, by ?? '');
    assert.deepEqual([signed(first), signed(second)], [true, true]);
    const { secret: third, webhook: after } = await rotate(true);
    assert.equal(after.rotatingUntil, null);
    await world.ada.create('team/b.md');
    await world.told(2);
    assert.deepEqual([signed(first), signed(second), signed(third)], [false, false, true]);
    assert.equal((await rotate(false)).webhook.rotatingUntil, world.test.clock.now() + day);
  });

  it('is tested by a message that is no delivery, also while it is disabled', async () => {
    const { webhook, secret } = await world.hook();
    const webhookId = webhook.id;
    await world.do(changeWebhook, { webhookId, enabled: false });
    const works = await world.do(testWebhook, { webhookId });
    assert.deepEqual([works.outcome, works.status], ['delivered', 204]);
    const [message] = world.receiver.received as [Received];
    assert.deepEqual([message.type, isSigned(message, secret ?? '')], ['webhook.test', true]);
    world.receiver.answerWith(404, {}, 'no such\u0007 route');
    const fails = await world.do(testWebhook, { webhookId });
    assert.deepEqual([fails.outcome, fails.status, fails.answer], ['failed', 404, 'no such route']);
    assert.deepEqual(await world.attempts(webhookId), []);
  });

  it('tells again from a delivery on, under the same ids', async () => {
    const { webhook } = await world.hook();
    for (const name of ['a', 'b', 'c']) await world.ada.create(`team/${name}.md`);
    await world.noted(webhook.id, 3);
    await world.do(replayDeliveries, { webhookId: webhook.id, delivery: 2 });
    await world.noted(webhook.id, 5);
    assert.deepEqual(world.receiver.ids().slice(3), world.receiver.ids().slice(1, 3));
  });

  it('is gone with its deliveries when it is removed', async () => {
    const { webhook } = await world.hook();
    await world.ada.create('team/a.md');
    await world.noted(webhook.id, 1);
    await world.do(removeWebhook, { webhookId: webhook.id });
    await world.ada.create('team/b.md');
    const other = await world.hook({ location: parseFolderLocation('team') });
    await world.ada.create('team/c.md');
    await world.noted(other.webhook.id, 1);
    assert.deepEqual(world.receiver.told(), ['document.created team/a.md', 'document.created team/c.md']);
  });
});
