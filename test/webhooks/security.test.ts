import assert from 'node:assert/strict';
import { recordTallies } from '../../lib/audit/record-tallies.js';
import { mintCredential } from '../../lib/operations/credentials/change-credential.js';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { securityKinds, type WebhookKind } from '../../lib/domain/webhook.js';
import { outcomeOf, type Actor } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { HookedWorld } from './hooked-world.js';

describe('A webhook for security', () => {
  let world: HookedWorld;

  beforeEach(async () => {
    world = await HookedWorld.open();
  });
  afterEach(() => world.close());

  const root = { caller: operator };
  const atRoot = (kinds: readonly WebhookKind[] = securityKinds) => ({ location: parseFolderLocation(''), kinds });
  const hook = (kinds?: readonly WebhookKind[]) => world.hook(atRoot(kinds), root as Actor);

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

  it('is for approvers of the root, at the root, and apart from changes', async () => {
    assert.equal(await outcomeOf(world.hook(atRoot())), 'NOT_FOUND');
    assert.equal(await outcomeOf(world.hook({ kinds: ['security.key_minted'] })), 'INVALID_REQUEST bad_field');
    assert.equal(await outcomeOf(hook(['security.key_minted', 'created'])), 'INVALID_REQUEST bad_field');
    assert.equal(await outcomeOf(hook([])), 'INVALID_REQUEST bad_field');
  });
});
