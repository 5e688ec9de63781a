import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../../lib/domain/location.js';
import { changeConnector, rotateConnectorSecret } from '../../../lib/operations/connectors/change-connector.js';
import { disconnectSource } from '../../../lib/operations/connectors/disconnect-source.js';
import {
  listConnectorRuns,
  listConnectors,
  readConnector,
} from '../../../lib/operations/connectors/list-connectors.js';
import { openSecret } from '../../../lib/operations/connectors/seal-secret.js';
import { approveChange, pauseConnector, syncNow } from '../../../lib/operations/connectors/steer-connector.js';
import type { PrepareContext, WriteOperation } from '../../../lib/operations/operation.js';
import { perform } from '../../../lib/operations/perform.js';
import { outcomeOf } from '../../support/store/actor.js';
import { Client } from '../../support/store/client.js';
import { ConnectedWorld } from './connected-world.js';

describe('What a connector says later', () => {
  let world: ConnectedWorld;
  let connectorId: string;

  beforeEach(async () => {
    world = await ConnectedWorld.open();
    connectorId = (await world.connect('docs')).id;
  });
  afterEach(() => world.close());

  it('is said again to those alone who still manage it', async () => {
    const { id } = await world.test.person('approver', 'docs', 'Bo');
    const bo = new Client(world.test.workspace, id);
    const tries: (() => Promise<string>)[] = [];
    const once = async <Input, Result, Prepared>(
      operation: WriteOperation<Input, Result, Prepared>,
      input: Input,
    ): Promise<void> => {
      const send = () =>
        perform(world.test.workspace, bo.caller, operation, input, {
          key: operation.name,
          fingerprint: Buffer.alloc(32),
        });
      await send();
      tries.push(() => outcomeOf(send()));
    };
    await once(syncNow, { connectorId });
    await once(changeConnector, { connectorId, name: 'Minutes' });
    await once(rotateConnectorSecret, { connectorId, secret: null });
    await once(pauseConnector, { connectorId });
    await world.test.workspace.journal.write({
      run({ tables }) {
        tables.connectors.setState(connectorId, 'held', 'Half of it would go.');
        tables.connectors.setHeld(connectorId, 'a change');
      },
    });
    await once(approveChange, { connectorId, fingerprint: 'a change' });
    for (const again of tries) assert.equal(await again(), 'done');
    await world.test.revoke('approver', { type: 'principal', id }, 'docs');
    for (const again of tries) assert.equal(await again(), 'NOT_FOUND');
  });

  it('is nothing about its source once it is disconnected', async () => {
    await begin();
    const { connector } = await world.ada.perform(disconnectSource, { connectorId, documents: 'keep' });
    assert.notEqual(connector.lastRun, null, 'the answer to those who end it says how its last run ended');
    const { settings, described, lastRun } = await world.ada.perform(readConnector, { connectorId });
    assert.deepEqual([settings, described, lastRun], [{}, '', null]);
    const { items } = await world.ada.perform(listConnectorRuns, { connectorId, after: '', limit: 10 });
    assert.deepEqual(items, []);
  });

  it('is not read for a list of those who do not manage it', async () => {
    await world.connect('others/private');
    const bo = await world.client('approver', 'others');
    const { connectors } = world.test.workspace.journal.reader;
    const read: string[] = [];
    const byId = connectors.byId.bind(connectors);
    connectors.byId = (id) => {
      read.push(id);
      return byId(id);
    };
    connectors.list = () => assert.fail('all of them are read');
    const everywhere = { location: parseFolderLocation(''), after: '', limit: 10 };
    const { items } = await bo.perform(listConnectors, everywhere);
    assert.deepEqual(
      items.map(({ location }) => location),
      ['others/private'],
    );
    assert.deepEqual(new Set(read), new Set(items.map(({ id }) => id)));
  });

  it('takes no secret that was given for other settings', async () => {
    const { workspace } = world.test;
    const { id } = await world.connectWithSecret('site', 'the first');
    const input = { connectorId: id, secret: 'the second' };
    const context = { workspace, caller: world.ada.caller, view: workspace.view(world.ada.caller) };
    const prepared = await rotateConnectorSecret.prepare?.(context as unknown as PrepareContext, input);
    assert.ok(prepared !== undefined);
    const settings = { ...world.refusing, url: `${String(world.refusing['url'])}/elsewhere.git` };
    await world.ada.perform(changeConnector, { connectorId: id, settings, secret: 'the third' });
    const run = workspace.journal.write({
      run: (transaction) =>
        rotateConnectorSecret.run(workspace.openWriteContext(transaction, world.ada.caller), input, prepared),
    });
    assert.equal(await outcomeOf(run), 'CONFLICT connector_state');
    assert.equal(openSecret(workspace, id), 'the third');
  });

  const begin = () =>
    world.test.workspace.journal.write({
      run: ({ tables, now }) => void tables.connectorRuns.begin(connectorId, 'manual', now),
    });
});
