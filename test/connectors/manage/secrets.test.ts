import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scrubberOf } from '../../../lib/connectors/scrub.js';
import { Service } from '../../../lib/app/service.js';
import { parseFolderLocation } from '../../../lib/domain/location.js';
import { Refusal } from '../../../lib/domain/refusal.js';
import { exportAudit } from '../../../lib/operations/audit/audit-log.js';
import { changeConnector, rotateConnectorSecret } from '../../../lib/operations/connectors/change-connector.js';
import { connectSource } from '../../../lib/operations/connectors/connect-source.js';
import { disconnectSource } from '../../../lib/operations/connectors/disconnect-source.js';
import {
  listConnectorRuns,
  listConnectors,
  readConnector,
} from '../../../lib/operations/connectors/list-connectors.js';
import { openSecret, openWebhookSecret, SecretLost } from '../../../lib/operations/connectors/seal-secret.js';
import { setWebhook } from '../../../lib/operations/connectors/set-webhook.js';
import { testConnection, testConnector } from '../../../lib/operations/connectors/test-connection.js';
import { perform } from '../../../lib/operations/perform.js';
import { backUpWorkspace } from '../../../lib/operations/workspaces/back-up-workspace.js';
import { gather } from '../../support/gather.js';
import { outcomeOf } from '../../support/store/actor.js';
import { makeTestRandomness, operator } from '../../support/store/service.js';
import { until } from '../../support/until.js';
import { ConnectedWorld } from './connected-world.js';

const secret = 'p4ss/wörd: "quoted" & más';

describe('The secret of a connector', () => {
  let world: ConnectedWorld;
  let folder: string;

  beforeEach(async () => {
    world = await ConnectedWorld.open('disk');
    folder = await mkdtemp(join(tmpdir(), 'cartulary-secrets-'));
  });
  afterEach(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  it('is found in no answer, no record, no log, no file and no backup', async () => {
    const { test, ada } = world;
    const { workspace } = test;
    const answers: unknown[] = [];
    const retry = { key: 'key-1', fingerprint: Buffer.alloc(32, 1) };
    const input = world.input('docs', { kind: 'git', settings: world.refusing, secret });
    for (let count = 0; count < 2; count += 1) {
      answers.push(await perform(workspace, ada.caller, connectSource, input, retry));
    }
    const all = { location: parseFolderLocation(''), after: '', limit: 10 };
    const connectorId = (await ada.perform(listConnectors, all)).items[0]?.id ?? '';
    await test.service.startSchedules();
    await until('the source has refused', async () => {
      const { state } = await ada.perform(readConnector, { connectorId });
      return state === 'stopped';
    });
    const other = `${secret} anew`;
    const { settings } = input;
    answers.push(
      await ada.perform(testConnection, input),
      await ada.perform(testConnector, { connectorId }),
      await ada.perform(rotateConnectorSecret, { connectorId, secret: other }),
      await ada.perform(changeConnector, { connectorId, settings, secret: other }),
      await ada.perform(listConnectors, all),
      await ada.perform(listConnectorRuns, { connectorId, after: '', limit: 10 }),
      await outcomeOf(ada.perform(changeConnector, { connectorId, settings: { url: 3 }, secret })),
      await outcomeOf(ada.perform(rotateConnectorSecret, { connectorId, secret: other.repeat(1000) })),
    );
    const webhook = await ada.perform(setWebhook, { connectorId, enabled: true });
    answers.push(webhook.connector, await gather(await ada.perform(exportAudit, { withTexts: true })));
    assert.equal(openWebhookSecret(workspace, connectorId), webhook.secret);
    assert.equal(openSecret(workspace, connectorId), other);
    assert.ok(world.authorizations.some((sent) => sent === `Basic ${Buffer.from(`ada:${secret}`).toString('base64')}`));
    const backup = join(folder, 'backup');
    await perform(workspace, operator, backUpWorkspace, { folder: backup, passphrase: 'four words', cost: 2 ** 10 });
    const said = JSON.stringify([answers, world.log, world.faults.map(String)]);
    requireAbsent(Buffer.from(said), secret, other, webhook.secret ?? '');
    requireAbsent(await readAll(test.dataFolder ?? ''), secret, other, webhook.secret ?? '');
    requireAbsent(await readAll(backup), secret, other, webhook.secret ?? '');
  });

  it('is opened where a backup was restored, and has to be set again where the key is lost', async () => {
    const { id } = await world.connectWithSecret('docs', secret);
    const backup = join(folder, 'backup');
    const passphrase = 'four words';
    await perform(world.test.workspace, operator, backUpWorkspace, { folder: backup, passphrase, cost: 2 ** 10 });
    const service = await Service.open({
      dataFolder: join(folder, 'restored'),
      git: 'auto',
      clock: world.test.clock,
      randomness: makeTestRandomness('restored'),
      onFault: () => undefined,
    });
    try {
      const restored = await service.restore({ backup, passphrase }, operator);
      assert.equal(openSecret(restored, id), secret);
      service.file.removeKey('connector:acme');
      assert.throws(() => openSecret(restored, id), SecretLost);
      const result = (await perform(restored, operator, testConnector, { connectorId: id })).result;
      assert.deepEqual(result, {
        works: false,
        fault: 'auth',
        message: 'The secret of this connector cannot be opened any more. Set it again.',
      });
    } finally {
      await service.close();
    }
  });

  it('opens for its own connector and use alone', async () => {
    const { workspace } = world.test;
    const { id } = await world.connectWithSecret('docs', secret);
    const other = await world.connect('other');
    await workspace.journal.write({
      run({ tables: { connectors } }) {
        const sealed = connectors.secretsOf(id).secret;
        connectors.setSecret(other.id, sealed);
        connectors.setWebhookSecret(id, sealed);
      },
    });
    assert.throws(() => openSecret(workspace, other.id), SecretLost);
    assert.throws(() => openWebhookSecret(workspace, id), SecretLost);
    assert.equal(openSecret(workspace, id), secret);
  });

  it('does not go to an address for which it was not given', async () => {
    const { id: connectorId } = await world.connectWithSecret('docs', secret);
    const settings = { ...world.refusing, url: 'https://elsewhere.example/notes.git' };
    const kept = world.ada.perform(changeConnector, { connectorId, settings });
    await assert.rejects(kept, (error: unknown) => {
      assert.ok(error instanceof Refusal);
      assert.deepEqual(error.details, { reason: 'bad_settings', field: 'secret' });
      return true;
    });
    const changed = await world.ada.perform(changeConnector, { connectorId, settings, secret: null });
    assert.equal(changed.hasSecret, false);
    assert.equal(openSecret(world.test.workspace, connectorId), null);
    const alone = world.ada.perform(changeConnector, { connectorId, secret });
    assert.equal(await outcomeOf(alone), 'INVALID_REQUEST unknown_field');
  });

  it('is refused in an address, with a word about where it belongs', async () => {
    const urls = [
      'https://ada:token123@git.example/notes.git',
      'https://ghp_token123@git.example/notes.git',
      'ssh://git:token123@git.example/notes.git',
      'https://git.example/notes.git?access_token=token123',
      'https://git.example/notes.git?key=token123',
      'https://git.example/notes.git?sig=token123',
      'https://git.example/notes.git?token123',
      'ssh://git@git.example/notes.git?auth=token123',
    ];
    for (const url of urls) {
      const connecting = world.connect('docs', { kind: 'git', settings: { url }, secret: null });
      await assert.rejects(connecting, (error: unknown) => {
        assert.ok(error instanceof Refusal && error.details?.reason === 'bad_settings');
        assert.match(error.message, /^The address in "url" .* give it as the secret\.$/);
        assert.ok(!error.message.includes('token123'));
        return true;
      });
    }
  });

  it('makes a stopped connector run again when it is set again, and is gone when the source is disconnected', async () => {
    const { id: connectorId } = await world.connectWithSecret('docs', secret);
    const { workspace } = world.test;
    await workspace.journal.write({
      run: ({ tables }) => tables.connectors.setState(connectorId, 'stopped', 'The secret is refused.'),
    });
    const rotated = await world.ada.perform(rotateConnectorSecret, { connectorId, secret: 'another' });
    assert.deepEqual([rotated.state, rotated.stateReason, rotated.hasSecret], ['active', null, true]);
    await world.ada.perform(setWebhook, { connectorId, enabled: true });
    const { connector } = await world.ada.perform(disconnectSource, { connectorId, documents: 'keep' });
    assert.deepEqual([connector.hasSecret, connector.hasWebhook], [false, false]);
  });

  it('of a webhook is shown once, and taken away when it is not wanted', async () => {
    const { id: connectorId } = await world.connect('docs');
    const first = await world.ada.perform(setWebhook, { connectorId, enabled: true });
    const second = await world.ada.perform(setWebhook, { connectorId, enabled: true });
    assert.match(first.secret ?? '', /^[0-9a-z]{52}$/);
    assert.notEqual(second.secret, first.secret);
    assert.ok(second.connector.hasWebhook);
    const removed = await world.ada.perform(setWebhook, { connectorId, enabled: false });
    assert.deepEqual([removed.secret, removed.connector.hasWebhook], [null, false]);
    assert.equal(openWebhookSecret(world.test.workspace, connectorId), null);
  });
});

describe('Scrubbing a text', () => {
  it('takes out every form of a secret, and leaves the rest', () => {
    const scrub = scrubberOf(secret);
    const pairs = ['', 'ada:', 'git:', 'xx:'].map((lead) => Buffer.from(lead + secret));
    const encoded = pairs.flatMap((pair) => [pair.toString('base64'), pair.toString('base64url')]);
    const written = [secret, encodeURIComponent(secret), encodeURI(secret), JSON.stringify(secret)];
    for (const form of [...written, ...encoded, Buffer.from(secret).toString('hex')]) {
      const text = Buffer.from(scrub(`before ${form} after`));
      requireAbsent(text, secret);
      assert.match(text.toString(), /^before .*\*\*\*.* after$/);
    }
  });

  it('takes out the parts of a secret of several values, also one by one', () => {
    const pair = scrubberOf(JSON.stringify({ accessKeyId: 'AKIA0123456789', secretAccessKey: 'wJalr/XUtnFEMI' }));
    assert.equal(pair('AKIA0123456789 signed with wJalr%2FXUtnFEMI'), '*** signed with ***');
    const key = scrubberOf('-----BEGIN KEY-----\nb3BlbnNzaC1rZXk\n-----END KEY-----\n');
    assert.equal(key('line b3BlbnNzaC1rZXk is bad'), 'line *** is bad');
    assert.equal(scrubberOf(null)('nothing to hide'), 'nothing to hide');
  });
});

/** The forms in which a secret could be found. */
function formsOf(text: string): Buffer[] {
  const forms = [text, encodeURIComponent(text), encodeURI(text), JSON.stringify(text).slice(1, -1)];
  for (const lead of ['', 'ada:', 'git:', 'xx:']) {
    for (const encoding of ['base64', 'base64url'] as const) {
      // The end depends on what comes after it.
      forms.push(
        Buffer.from(lead + text)
          .toString(encoding)
          .slice(8, 24),
      );
    }
  }
  return [...forms.map((form) => Buffer.from(form)), Buffer.from(Buffer.from(text).toString('hex'))];
}

async function readAll(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Buffer.concat(await Promise.all(files.map((file) => readFile(file))));
}

function requireAbsent(bytes: Buffer, ...secrets: readonly string[]): void {
  for (const each of secrets) {
    for (const form of formsOf(each)) assert.ok(!bytes.includes(form), `it holds "${form.toString()}"`);
  }
}
