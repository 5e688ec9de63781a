import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../../lib/domain/location.js';
import type { Caller } from '../../../lib/domain/caller.js';
import { exportAudit } from '../../../lib/operations/audit/audit-log.js';
import { changeConnector, rotateConnectorSecret } from '../../../lib/operations/connectors/change-connector.js';
import { disconnectSource } from '../../../lib/operations/connectors/disconnect-source.js';
import { listConnectors, readConnector } from '../../../lib/operations/connectors/list-connectors.js';
import { setWebhook } from '../../../lib/operations/connectors/set-webhook.js';
import {
  approveChange,
  notifyConnector,
  pauseConnector,
  resumeConnector,
  syncNow,
} from '../../../lib/operations/connectors/steer-connector.js';
import { perform } from '../../../lib/operations/perform.js';
import type { WriteTransaction } from '../../../lib/journal/write-transaction.js';
import { gather } from '../../support/gather.js';
import { outcomeOf } from '../../support/store/actor.js';
import { claim } from '../../support/store/place.js';
import { until } from '../../support/until.js';
import { ConnectedWorld } from './connected-world.js';

const hour = 60 * 60 * 1000;

describe('A connector', () => {
  let world: ConnectedWorld;
  let connectorId: string;

  beforeEach(async () => {
    world = await ConnectedWorld.open();
    connectorId = (await world.connect('docs')).id;
  });
  afterEach(() => world.close());

  it('waits while it is paused, and runs at once when it is resumed', async () => {
    const paused = await world.ada.perform(pauseConnector, { connectorId });
    assert.deepEqual([paused.state, paused.nextRunAt], ['paused', null]);
    assert.equal(await outcomeOf(world.ada.perform(syncNow, { connectorId })), 'CONFLICT connector_state');
    world.test.clock.advance(hour);
    const resumed = await world.ada.perform(resumeConnector, { connectorId });
    assert.deepEqual([resumed.state, resumed.nextRunAt], ['active', world.test.clock.now()]);
  });

  it('runs on request, also after it has stopped', async () => {
    await stop();
    world.test.clock.advance(hour);
    const { state, stateReason, failures, nextRunAt, nextTrigger } = await world.ada.perform(syncNow, { connectorId });
    assert.deepEqual([state, stateReason, failures], ['active', null, 0]);
    assert.deepEqual([nextRunAt, nextTrigger], [world.test.clock.now(), 'manual']);
  });

  it('lets only that change through which was looked at', async () => {
    const approve = (fingerprint: string) => world.ada.perform(approveChange, { connectorId, fingerprint });
    assert.equal(await outcomeOf(approve('first')), 'CONFLICT connector_state');
    await hold('second');
    assert.equal((await shown()).held, 'second');
    assert.equal(await outcomeOf(approve('first')), 'CONFLICT held_change_differs');
    for (const operation of [syncNow, resumeConnector]) {
      assert.equal(await outcomeOf(world.ada.perform(operation, { connectorId })), 'CONFLICT connector_state');
    }
    const { state, held, nextTrigger } = await approve('second');
    assert.deepEqual([state, held, nextTrigger], ['active', null, 'approval']);
    const { connectors } = world.test.workspace.journal.reader;
    assert.equal(connectors.approvedOf(connectorId), 'second');
  });

  it('rejects a held change by a pause, and forgets it', async () => {
    await hold('change');
    const { state, held } = await world.ada.perform(pauseConnector, { connectorId });
    assert.deepEqual([state, held], ['paused', null]);
    await world.ada.perform(resumeConnector, { connectorId });
    assert.equal(world.test.workspace.journal.reader.connectors.approvedOf(connectorId), null);
  });

  it('takes another name and interval, and keeps the rest', async () => {
    const changed = await world.ada.perform(changeConnector, { connectorId, name: 'Other', interval: 2 * hour });
    assert.deepEqual([changed.name, changed.interval, changed.settings], ['Other', 2 * hour, world.notes]);
    assert.equal(changed.generation, 1);
    const short = world.ada.perform(changeConnector, { connectorId, interval: 1000 });
    assert.equal(await outcomeOf(short), 'INVALID_REQUEST bad_field');
  });

  it('lists everything again under other settings, and a run under the old ones writes nothing', async () => {
    await write(({ connectors }) =>
      connectors.setSynced(connectorId, { cursor: 'here', sourceVersion: 'v', at: world.test.clock.now() }),
    );
    const settings = { path: `${String(world.notes['path'])}/deep` };
    const changed = await world.ada.perform(changeConnector, { connectorId, settings });
    assert.deepEqual([changed.settings, changed.generation > 1], [settings, true]);
    assert.match(changed.described, /notes\/deep/);
    assert.equal(world.test.workspace.journal.reader.connectors.cursorOf(connectorId), null);
    const wrong = world.ada.perform(changeConnector, { connectorId, settings: { nonsense: 1 } });
    assert.equal(await outcomeOf(wrong), 'INVALID_REQUEST bad_settings');
    assert.deepEqual((await shown()).settings, settings);
  });

  it('a paused connector stays paused when its settings change', async () => {
    await world.ada.perform(pauseConnector, { connectorId });
    const { state, nextRunAt } = await world.ada.perform(changeConnector, { connectorId, settings: world.notes });
    assert.deepEqual([state, nextRunAt], ['paused', null]);
  });

  it('is due when its source says so, and says it only for itself', async () => {
    const self = (id: string): Caller => ({ ...world.ada.caller, principalId: id, interface: 'connector' });
    const notify = (as: string, id = connectorId) =>
      perform(world.test.workspace, { ...self(as), kind: 'connector' }, notifyConnector, { connectorId: id });
    await write(({ connectors }) => connectors.setNextRun(connectorId, { at: hour * 1e6, trigger: 'schedule' }));
    assert.equal(await outcomeOf(notify(connectorId)), 'NOT_FOUND', 'it has no webhook yet');
    await world.ada.perform(setWebhook, { connectorId, enabled: true });
    const { dueAt } = (await notify(connectorId)).result;
    const { nextRunAt, nextTrigger } = await shown();
    assert.deepEqual([dueAt, nextRunAt, nextTrigger], [nextRunAt, world.test.clock.now(), 'webhook']);
    assert.equal(await outcomeOf(notify(world.ada.id)), 'NOT_FOUND');
    assert.equal(await outcomeOf(notify(connectorId, 'prn_unknown')), 'NOT_FOUND');
    await world.ada.perform(pauseConnector, { connectorId });
    assert.equal(await outcomeOf(notify(connectorId)), 'NOT_FOUND');
    assert.equal((await shown()).nextRunAt, null);
  });

  it('keeps the pause after a failed run when its source sends a webhook', async () => {
    const caller: Caller = { ...world.ada.caller, principalId: connectorId, interface: 'connector', kind: 'connector' };
    const notify = () => perform(world.test.workspace, caller, notifyConnector, { connectorId });
    await world.ada.perform(setWebhook, { connectorId, enabled: true });
    const pause = world.test.clock.now() + 3 * hour;
    const counts = { listed: 0, created: 0, updated: 0, moved: 0, deleted: 0, skipped: 0, bytes: 0 };
    await write(({ connectors, connectorRuns }) => {
      const number = connectorRuns.begin(connectorId, 'schedule', world.test.clock.now());
      const ended = { number, endedAt: world.test.clock.now(), outcome: 'failed', fault: 'rate', counts } as const;
      connectorRuns.end(connectorId, { ...ended, message: null, versionId: null, sourceVersion: null });
      connectors.setFailures(connectorId, 1, 0);
      connectors.setNextRun(connectorId, { at: pause, trigger: 'schedule' });
    });
    world.test.clock.advance(hour);
    assert.equal((await notify()).result.dueAt, pause);
    assert.deepEqual([(await shown()).nextRunAt, (await shown()).nextTrigger], [pause, 'schedule']);
    await write(({ connectorRuns }) => void connectorRuns.begin(connectorId, 'manual', world.test.clock.now()));
    world.test.clock.advance(hour);
    assert.equal((await notify()).result.dueAt, world.test.clock.now(), 'a run under way may yet succeed');
  });

  it('takes a webhook soon after its clock was set back', async () => {
    const caller: Caller = { ...world.ada.caller, principalId: connectorId, interface: 'connector', kind: 'connector' };
    await world.ada.perform(setWebhook, { connectorId, enabled: true });
    const later = world.test.clock.now() + 1000 * hour;
    await write(({ connectors, connectorRuns }) => {
      connectorRuns.begin(connectorId, 'schedule', later);
      connectors.setNextRun(connectorId, { at: later + hour, trigger: 'schedule' });
    });
    const { result } = await perform(world.test.workspace, caller, notifyConnector, { connectorId });
    assert.equal(result.dueAt, world.test.clock.now() + 30_000);
  });

  it('is nobody’s to steer but an approver’s of its folder', async () => {
    const editor = await world.client('editor');
    const elsewhere = await world.client('approver', 'other');
    for (const other of [editor, elsewhere]) {
      for (const id of [connectorId, 'prn_unknown']) {
        const input = { connectorId: id };
        const calls = [
          other.perform(syncNow, input),
          other.perform(pauseConnector, input),
          other.perform(resumeConnector, input),
          other.perform(approveChange, { ...input, fingerprint: '' }),
          other.perform(changeConnector, { ...input, settings: { nonsense: 1 } }),
          other.perform(rotateConnectorSecret, { ...input, secret: '' }),
          other.perform(setWebhook, { ...input, enabled: true }),
          other.perform(disconnectSource, { ...input, documents: 'delete' }),
        ];
        assert.deepEqual(new Set(await Promise.all(calls.map(outcomeOf))), new Set(['NOT_FOUND']));
      }
    }
    assert.equal((await shown()).state, 'active');
  });

  it('leaves a record of everything that was done with it or refused', async () => {
    await world.ada.perform(pauseConnector, { connectorId });
    await outcomeOf(world.ada.perform(syncNow, { connectorId }));
    const lines = await gather(await world.ada.perform(exportAudit, { withTexts: true }));
    const said = lines.map((line) => JSON.stringify(line)).filter((line) => line.includes(connectorId));
    assert.equal(said.filter((line) => line.includes('connector.pause') && line.includes('done')).length, 1);
    assert.equal(said.filter((line) => line.includes('connector.sync_now') && line.includes('refused')).length, 1);
  });

  const shown = () => world.ada.perform(readConnector, { connectorId });

  const write = (run: (tables: WriteTransaction['tables']) => void) =>
    world.test.workspace.journal.write({ run: ({ tables }) => run(tables) });

  const hold = (fingerprint: string) =>
    write(({ connectors }) => {
      connectors.setState(connectorId, 'held', 'Half of it would go.');
      connectors.setHeld(connectorId, fingerprint);
      connectors.setNextRun(connectorId, { at: null, trigger: 'schedule' });
    });

  const stop = () =>
    write(({ connectors }) => {
      connectors.setState(connectorId, 'stopped', 'The secret is refused.');
      connectors.setFailures(connectorId, 3, 0);
      connectors.setNextRun(connectorId, { at: null, trigger: 'schedule' });
    });
});

describe('A run under way', () => {
  let world: ConnectedWorld;
  let connectorId: string;

  beforeEach(async () => {
    world = await ConnectedWorld.open();
    world.isMute = true;
    connectorId = (await world.connectWithSecret('docs', 'a secret')).id;
    await world.test.service.startSchedules();
    await until('a run waits for its silent source', async () => {
      const { lastRun } = await world.ada.perform(readConnector, { connectorId });
      return lastRun?.outcome === null;
    });
  });
  afterEach(() => world.close());

  it('is cancelled when its connector is paused', async () => {
    await world.ada.perform(pauseConnector, { connectorId });
    await cancelled();
    const { state, nextRunAt } = await world.ada.perform(readConnector, { connectorId });
    assert.deepEqual([state, nextRunAt], ['paused', null]);
  });

  it('is cancelled when its connector is disconnected', async () => {
    const { connector } = await world.ada.perform(disconnectSource, { connectorId, documents: 'keep' });
    assert.deepEqual([connector.lastRun?.outcome, connector.state], ['cancelled', 'disconnected']);
  });

  it('is cancelled when other settings come, and another one begins under them', async () => {
    const { settings } = await world.ada.perform(readConnector, { connectorId });
    await world.ada.perform(changeConnector, { connectorId, settings, secret: 'another' });
    await until('a second run has begun', async () => {
      const { lastRun } = await world.ada.perform(readConnector, { connectorId });
      return lastRun?.number === 2;
    });
    const { connectorRuns } = world.test.workspace.journal.reader;
    assert.equal(connectorRuns.list(connectorId, 2, 1)[0]?.outcome, 'cancelled');
  });

  it('does not keep the service from closing', async () => {
    await world.test.service.stopSchedules();
    const { state, lastRun } = await world.ada.perform(readConnector, { connectorId });
    assert.deepEqual([state, lastRun?.outcome], ['active', 'cancelled']);
  });

  const cancelled = () =>
    until('the run is cancelled', async () => {
      const { lastRun } = await world.ada.perform(readConnector, { connectorId });
      return lastRun?.outcome === 'cancelled';
    });
});

describe('Disconnecting a source', () => {
  let world: ConnectedWorld;
  let connectorId: string;

  beforeEach(async () => {
    world = await ConnectedWorld.open('disk');
    connectorId = (await world.connect('docs/notes')).id;
    await world.test.service.startSchedules();
    await until('the source is mirrored', async () => {
      const { lastRun } = await world.ada.perform(readConnector, { connectorId });
      return lastRun?.outcome === 'changed';
    });
  });
  afterEach(() => world.close());

  it('keeps the documents as ordinary ones', async () => {
    assert.equal(await outcomeOf(world.ada.update('docs/notes/one.md', 'x')), 'INVALID_REQUEST read_only_source');
    const { connector, deleted } = await disconnect('keep');
    assert.deepEqual([connector.state, connector.nextRunAt, deleted], ['disconnected', null, 0]);
    await world.ada.update('docs/notes/one.md', 'ours now');
    const all = { location: parseFolderLocation(''), after: '', limit: 10 };
    assert.deepEqual((await world.ada.perform(listConnectors, all)).items, []);
    assert.equal((await world.ada.perform(readConnector, { connectorId })).state, 'disconnected');
    assert.equal(await outcomeOf(world.ada.perform(syncNow, { connectorId })), 'CONFLICT connector_state');
    assert.equal(await outcomeOf(disconnect('delete')), 'CONFLICT connector_state');
    await world.ada.move('docs/notes', 'elsewhere');
  });

  it('deletes the documents by one commit, from which they can come back', async () => {
    const { deleted, versionId } = await disconnect('delete');
    assert.equal(deleted, 1);
    assert.equal(versionId, world.test.workspace.journal.state.head);
    await world.ada.undelete('docs/notes/one.md');
    await world.ada.update('docs/notes/one.md', 'ours now');
  });

  it('does nothing by halves: what refuses the deletion leaves the mirror as it was', async () => {
    await claim(world.test, 'docs/notes/one.md', (await world.client('editor')).id);
    assert.equal(await outcomeOf(disconnect('delete')), 'CONFLICT claimed');
    assert.equal((await world.ada.perform(readConnector, { connectorId })).state, 'active');
    assert.equal(await outcomeOf(world.ada.create('docs/notes/new.md')), 'INVALID_REQUEST read_only_source');
  });

  it('frees the folder for another source', async () => {
    await disconnect('delete');
    const { id } = await world.connect('docs/notes');
    assert.notEqual(id, connectorId);
    const { mirrorEntries } = world.test.workspace.journal.reader;
    assert.deepEqual(mirrorEntries.list(connectorId, '', 10), []);
  });

  it('lets a refusal in the mirror name the connector to those who can read there', async () => {
    const refused = world.ada.create('docs/notes/new.md').catch((error: unknown) => error);
    const { message, details } = (await refused) as { message: string; details: unknown };
    assert.equal(
      message,
      'This folder mirrors the source of the connector "Notes" and is read-only here. Change it there.',
    );
    const connector = { id: connectorId, kind: 'folder', displayName: 'Notes' };
    assert.deepEqual(details, { reason: 'read_only_source', connector });
    const elsewhere = await world.client('editor', 'other');
    assert.equal(await outcomeOf(elsewhere.create('docs/notes/new.md')), 'NOT_FOUND');
    assert.deepEqual(await world.ada.labels('add', 'docs/notes/one.md', 'kept'), ['kept']);
  });

  const disconnect = (documents: 'keep' | 'delete') => world.ada.perform(disconnectSource, { connectorId, documents });
});
