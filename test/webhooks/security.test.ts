import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { recordTallies } from '../../lib/audit/record-tallies.js';
import { clearArchived } from '../../lib/journal/clear-archived.js';
import { archiveAudit } from '../../lib/operations/audit/archive-audit.js';
import { mintCredential } from '../../lib/operations/credentials/change-credential.js';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { securityKinds, type WebhookKind } from '../../lib/domain/webhook.js';
import { perform } from '../../lib/operations/perform.js';
import { changeWebhook } from '../../lib/operations/webhooks/change-webhook.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { HookedWorld } from './hooked-world.js';

const principalChanged = 'security.principal_changed';

describe('A webhook for security', () => {
  let world: HookedWorld;

  beforeEach(async () => {
    world = await HookedWorld.open();
  });
  afterEach(() => world.close());

  const root = { caller: operator };

  it('tells what the audit log says, in order, and nothing about documents', async () => {
    await hook();
    const { test } = world;
    const id = await test.principal('Bot', 'agent');
    await test.grant('reader', { type: 'principal', id }, 'team');
    await test.grant('reader', { type: 'principal', id }, '');
    await world.do(
      mintCredential,
      { principalId: id, name: 'ci', interfaces: ['rest'], expiresAt: null, requestsPerMinute: null },
      root,
    );
    await world.ada.create('team/a.md');
    await world.told(4);
    assert.deepEqual(
      world.receiver.received.map(({ type }) => type),
      ['security.webhook_changed', 'security.principal_changed', 'security.root_access_changed', 'security.key_minted'],
    );
    const last = JSON.parse(world.receiver.received.at(-1)?.body ?? '') as { data: Record<string, unknown> };
    assert.equal(last.data['principal'], 'operator');
    assert.equal(last.data['action'], 'credential.mint');
    assert.match(String(last.data['hash']), /^[0-9a-f]{64}$/);
    assert.ok(!world.receiver.received.some(({ body }) => body.includes('team/a.md')));
  });

  it('says of a new key whether somebody made it for another person, and of no other key', async () => {
    await hook(['security.key_minted']);
    const { test } = world;
    const bot = await test.principal('Bot', 'agent');
    const bea = await test.principal('Bea');
    const key = { name: 'ci', interfaces: ['rest'], expiresAt: null, requestsPerMinute: null } as const;
    for (const principalId of [bot, bea]) await world.do(mintCredential, { ...key, principalId }, root);
    await test.grant('approver', { type: 'principal', id: bea }, '');
    await world.do(mintCredential, { ...key, principalId: bea }, new Actor(test.workspace, bea));
    await world.told(3);
    const told = world.receiver.received.map(({ type, body }) => {
      const { data } = JSON.parse(body) as { data: { target: string; detail: Record<string, unknown> } };
      return [type, data.target, data.detail];
    });
    assert.deepEqual(told, [
      ['security.key_minted', bot, {}],
      ['security.key_minted', bea, { for_another_person: true }],
      ['security.key_minted', bea, {}],
    ]);
  });

  it('tells a burst of refused requests, with where it came from, and no single mistake', async () => {
    await hook(['security.refused_burst']);
    const { journal, clock } = world.test.workspace;
    const minute = Math.floor(clock.now() / 60_000);
    await journal.write({
      run({ tables }) {
        const tally = (source: string, count: number) =>
          tables.audit.addToTally({ minute, interface: 'rest', reason: 'unknown_key', source, count });
        tally('203.0.113.7', 3);
        tally('203.0.113.9', 25);
      },
    });
    world.pass(120_000);
    await journal.write({ run: (transaction) => recordTallies(transaction, minute + 1) });
    await world.told(1);
    const [message] = world.receiver.received;
    const { data } = JSON.parse(message?.body ?? '') as { data: { detail: Record<string, unknown> } };
    assert.deepEqual([data.detail['source'], data.detail['count']], ['203.0.113.9', 25]);
  });

  describe('that is far behind', () => {
    let id: string;

    /** Events that are in the archive before the webhook could tell them. */
    beforeEach(async () => {
      await world.close();
      world = await HookedWorld.open({ store: 'disk', onFault: (what) => void faults.push(what) });
      faults.length = 0;
      world.receiver.answerWith(503);
      ({ id } = (await hook(['security.principal_changed', 'security.chain_checkpoint'])).webhook);
      for (const name of ['One', 'Two', 'Three']) await world.test.principal(name);
      await until('the first attempt has failed', () => world.row(id).failures === 1);
      const { workspace } = world.test;
      for (let turn = 0; turn < 2; turn += 1) {
        const seq = workspace.journal.reader.audit.head()?.seq ?? 0;
        await perform(workspace, operator, archiveAudit, { before: { seq } });
        if (turn === 0) await world.test.principal('Between');
      }
      await clearArchived(workspace.journal, () => false);
      assert.ok((workspace.journal.reader.audit.after(0, 1)[0]?.seq ?? 0) > 10, 'its records are no rows any more');
      world.receiver.received.length = 0;
    });
    const faults: string[] = [];

    it('tells what is in archives by now, in order and once', async () => {
      world.receiver.recover();
      world.pass(5000);
      await world.test.principal('Last');
      await until('the last is told', () => told().filter(({ type }) => type === principalChanged).length === 5);
      const numbers = told().map(({ body }) => (JSON.parse(body) as { data: { seq: number } }).data.seq);
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].toSorted((a, b) => a - b),
      );
      assert.equal(told().filter(({ type }) => type === principalChanged).length, 5);
      assert.deepEqual(faults, []);
    });

    it('stops, and says so, when an archive of what comes next is gone', async () => {
      const folder = world.test.workspace.archives ?? '';
      for (const file of await readdir(folder)) if (file.endsWith('.gz')) await rm(join(folder, file));
      world.receiver.recover();
      world.pass(5000);
      await until('it is disabled', () => world.row(id).stopped === 'position_lost');
      assert.deepEqual(faults, ['A webhook for security cannot go on']);
      assert.deepEqual(told(), []);
      await world.do(changeWebhook, { webhookId: id, enabled: true }, root);
      await world.test.principal('Last');
      await world.told(1);
      assert.equal(told()[0]?.type, principalChanged);
    });

    const told = () => world.receiver.received;
  });

  it('is for approvers of the root, at the root, and apart from changes', async () => {
    assert.equal(await outcomeOf(world.hook(atRoot())), 'NOT_FOUND');
    assert.equal(await outcomeOf(world.hook({ kinds: ['security.key_minted'] })), 'INVALID_REQUEST bad_field');
    assert.equal(await outcomeOf(hook(['security.key_minted', 'created'])), 'INVALID_REQUEST bad_field');
    assert.equal(await outcomeOf(hook([])), 'INVALID_REQUEST bad_field');
  });

  const atRoot = (kinds: readonly WebhookKind[] = securityKinds) => ({ location: parseFolderLocation(''), kinds });

  const hook = (kinds?: readonly WebhookKind[]) => world.hook(atRoot(kinds), root as Actor);
});
