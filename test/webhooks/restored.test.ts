import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { parseFolderLocation } from '../../lib/domain/location.js';
import type { Webhook } from '../../lib/domain/webhook.js';
import { perform } from '../../lib/operations/perform.js';
import { changeWebhook, replayDeliveries } from '../../lib/operations/webhooks/change-webhook.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { describeStoppedWebhooks } from '../../lib/view/find-stopped-webhooks.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { makeTestRandomness, operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { HookedWorld } from './hooked-world.js';

const passphrase = 'correct horse battery staple';

describe('The webhooks of a workspace that is restored', function () {
  this.timeout(60_000);

  let world: HookedWorld;
  let folder: string;
  let service: Service;
  let restored: Workspace;
  let changes: Webhook['id'];
  let security: Webhook['id'];
  let disabled: Webhook['id'];

  before(async () => {
    world = await HookedWorld.open({ store: 'disk' });
    folder = await mkdtemp(join(tmpdir(), 'cartulary-restored-'));
    changes = (await world.hook({ name: 'changes' })).webhook.id;
    const atRoot = { location: parseFolderLocation(''), kinds: ['security.principal_changed'] } as const;
    security = (await world.hook({ name: 'security', ...atRoot }, { caller: operator } as Actor)).webhook.id;
    disabled = (await world.hook({ name: 'disabled' })).webhook.id;
    await world.do(changeWebhook, { webhookId: disabled, enabled: false });
    await world.ada.create('team/told.md');
    await world.noted(changes, 1);
    world.receiver.answerWith(500);
    await world.ada.create('team/waits.md');
    await world.noted(changes, 2);
    await perform(world.test.workspace, operator, backUpWorkspace, {
      folder: join(folder, 'b'),
      passphrase,
      cost: 1024,
    });
    await world.ada.create('team/later.md');
    await world.test.service.close();
    world.receiver.recover();
    world.receiver.received.length = 0;
    service = await Service.open({
      dataFolder: join(folder, 'restored'),
      git: 'auto',
      clock: world.test.clock,
      randomness: makeTestRandomness('restored'),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
      webhooks: { hosts: [world.receiver.host] },
    });
    await service.startSchedules();
    restored = await service.restore({ backup: join(folder, 'b'), passphrase }, operator);
  });
  after(async () => {
    await service?.close();
    await world?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('are disabled with a reason of their own, and their state says the remedy', () => {
    assert.deepEqual(
      [row(changes)?.stopped, row(security)?.stopped, row(disabled)?.stopped],
      ['restored', 'restored', 'by_hand'],
    );
    assert.equal(row(changes)?.nextAttemptAt, null);
    const [first = '', second = '', ...others] = describeStoppedWebhooks(restored.journal.reader).toSorted();
    assert.match(
      first,
      /^The webhook changes \(whk_\w+\) is disabled: the workspace was restored from a backup\. Enable/,
    );
    assert.match(second, /^The webhook security /);
    assert.deepEqual(others, []);
  });

  it('send nothing until they are enabled, and then what came since the restore', async () => {
    const ada = new Actor(restored, world.ada.caller.principalId);
    await ada.create('team/since.md');
    const enable = async (webhookId: string): Promise<unknown> =>
      perform(restored, operator, changeWebhook, { webhookId, enabled: true });
    await enable(changes);
    await enable(disabled);
    await until('both have told', () => world.receiver.received.length === 2);
    await ada.create('team/next.md');
    await until('both have told the next', () => world.receiver.received.length === 4);
    const [since, next] = ['document.created team/since.md', 'document.created team/next.md'];
    assert.deepEqual(world.receiver.told().toSorted(), [next, next, since, since]);
    assert.equal(row(security)?.stopped, 'restored');
    assert.equal(restored.journal.reader.webhooks.deliveries(changes, 3, 1)[0]?.outcome, 'failed');
    const replay = (delivery: number) =>
      outcomeOf(perform(restored, operator, replayDeliveries, { webhookId: changes, delivery }));
    assert.deepEqual([await replay(1), await replay(3)], ['NOT_FOUND', 'done']);
  });

  const row = (id: string): Webhook | undefined => restored.journal.reader.webhooks.byId(id);
});
