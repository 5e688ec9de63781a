import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../lib/domain/log.js';
import { changeWebhook, replayDeliveries, rotateWebhookSecret } from '../../lib/operations/webhooks/change-webhook.js';
import { maxPause } from '../../lib/operations/webhooks/note-delivery.js';
import { testWebhook } from '../../lib/operations/webhooks/test-webhook.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { certificate, expiredCertificate, key } from '../support/connectors/certificates.js';
import { ScriptedServer } from '../support/connectors/scripted-server.js';
import { Actor } from '../support/store/actor.js';
import { findTraces } from '../support/store/evidence.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { HookedWorld } from './hooked-world.js';

describe('A webhook under attack', function () {
  this.timeout(60_000);

  let world: HookedWorld;

  beforeEach(async () => {
    world = await HookedWorld.open();
  });
  afterEach(() => world.close());

  it('waits half a day at most, when its receiver asks for a year', async () => {
    world.receiver.answerWith(429, { 'retry-after': String(365 * 24 * 3600) });
    const { webhook } = await world.hook();
    await world.ada.create('team/a.md');
    await world.noted(webhook.id, 1);
    assert.equal(world.row(webhook.id).nextAttemptAt, world.test.clock.now() + maxPause);
  });

  it('tells nothing after its owner lost the folder between two attempts', async () => {
    world.receiver.answerWith(500);
    const { webhook } = await world.hook();
    await world.ada.create('team/a.md');
    await world.noted(webhook.id, 1);
    await world.test.revoke('approver', { type: 'principal', id: webhook.owner.id }, 'team');
    world.receiver.recover();
    world.pass(5000);
    await until('it is disabled', () => world.row(webhook.id).stopped === 'owner');
    assert.equal(world.receiver.received.length, 1);
  });

  it('tells of a document that left meanwhile only that it left, and repeats nothing else of it', async () => {
    const { test } = world;
    const root = new Actor(test.workspace, operator.principalId);
    world.receiver.answerWith(500);
    const { webhook } = await world.hook();
    await world.ada.create('team/a.md');
    await world.noted(webhook.id, 1);
    await root.createFolder('vault');
    await root.move('team/a.md', 'vault', true);
    await root.rename('vault/a.md', 'zebra.md');
    world.receiver.recover();
    world.receiver.received.length = 0;
    world.pass(5000);
    await world.noted(webhook.id, 2);
    await world.do(replayDeliveries, { webhookId: webhook.id, delivery: 1 });
    await world.noted(webhook.id, 3);
    assert.deepEqual(world.receiver.told(), ['document.left team/a.md', 'document.left team/a.md']);
    assert.ok(world.receiver.received.every(({ body }) => !/vault|zebra/.test(body)));
  });

  it('goes on when the clock is set back by a year, and when it is set forward', async () => {
    world.receiver.answerWith(500);
    const { webhook } = await world.hook();
    await world.ada.create('team/a.md');
    await world.noted(webhook.id, 1);
    world.pass(-365 * 24 * 3_600_000);
    await world.noted(webhook.id, 2);
    world.receiver.recover();
    world.pass(2 * 365 * 24 * 3_600_000);
    await world.noted(webhook.id, 3);
    assert.equal(new Set(world.receiver.ids()).size, 1);
    assert.equal(world.row(webhook.id).failures, 0);
  });

  it('sends nothing to a receiver whose certificate is unknown, expired or of another name', async () => {
    await world.close();
    const [unknown, old] = await Promise.all(
      [certificate, expiredCertificate].map((cert) =>
        ScriptedServer.open((_, response) => void response.end(), { tls: { key, cert } }),
      ),
    );
    assert.ok(unknown !== undefined && old !== undefined);
    try {
      const resolve = () => Promise.resolve(['127.0.0.1']);
      const hosts = [unknown, old].flatMap(({ port }) => [`files.test:${port}`, `other.test:${port}`]);
      const ask = async (url: string, authorities: readonly string[]): Promise<string> => {
        world = await HookedWorld.open({ webhooks: { resolve, authorities: [...authorities], hosts } });
        const { webhook } = await world.hook({ url });
        const { outcome, answer } = await world.do(testWebhook, { webhookId: webhook.id });
        await world.close();
        return `${outcome}: ${answer ?? ''}`;
      };
      const at = (host: string, { port }: ScriptedServer): string => `https://${host}:${port}/`;
      assert.match(await ask(at('files.test', unknown), []), /^failed: .*NODE_EXTRA_CA_CERTS/);
      assert.match(await ask(at('other.test', unknown), [certificate]), /^failed: .*for another name/);
      assert.match(await ask(at('files.test', old), [expiredCertificate]), /^failed: .*expired/);
      assert.deepEqual([unknown.asked.length, old.asked.length], [0, 0]);
      assert.match(await ask(at('files.test', unknown), [certificate]), /^delivered: /);
    } finally {
      await unknown.close();
      await old.close();
      world = await HookedWorld.open();
    }
  });

  it('has its secrets in no file, no record, no backup and no line of the log, and its address in no record', async () => {
    await world.close();
    const lines: string[] = [];
    const take = (fields: object, message: string): void => void lines.push(`${JSON.stringify(fields)} ${message}`);
    const log: Log = { debug: take, info: take, warn: take, error: take };
    world = await HookedWorld.open({ store: 'disk', connectors: { log } });
    const { webhook, secret: first } = await world.hook();
    await world.ada.create('team/a.md');
    await world.noted(webhook.id, 1);
    world.receiver.answerWith(500);
    await world.do(testWebhook, { webhookId: webhook.id });
    const { secret: second } = await world.do(rotateWebhookSecret, { webhookId: webhook.id, isAtOnce: false });
    await world.do(changeWebhook, { webhookId: webhook.id, enabled: false });
    const folder = await mkdtemp(join(tmpdir(), 'cartulary-backup-'));
    try {
      const { workspace, dataFolder } = world.test;
      const passphrase = 'correct horse battery staple';
      await perform(workspace, operator, backUpWorkspace, { folder: join(folder, 'b'), passphrase, cost: 1024 });
      const secrets = [first, second].flatMap((each) => {
        const base64 = (each ?? '').slice('whsec_'.length);
        assert.ok(base64.length > 40);
        return [base64, Buffer.from(base64, 'base64').toString('hex')];
      });
      const bytes = secrets.map((each, index) => Buffer.from(each, index % 2 === 0 ? 'base64' : 'hex'));
      assert.deepEqual(findTraces(dataFolder ?? '', secrets, bytes), []);
      assert.deepEqual(findTraces(folder, secrets, bytes), []);
      const { audit } = workspace.journal.reader;
      const texts = Array.from({ length: audit.head()?.seq ?? 0 }, (_, each) => audit.textOf(each + 1));
      const said = `${JSON.stringify(texts)} ${lines.join('\n')}`;
      assert.ok(said.includes(webhook.id));
      for (const each of [...secrets, 'token=hidden']) assert.ok(!said.includes(each));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
