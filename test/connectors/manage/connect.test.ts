import assert from 'node:assert/strict';
import { parseFolderLocation, parseLocation } from '../../../lib/domain/location.js';
import { Refusal } from '../../../lib/domain/refusal.js';
import { changeConnector } from '../../../lib/operations/connectors/change-connector.js';
import { connectSource, type ConnectInput } from '../../../lib/operations/connectors/connect-source.js';
import { maxConnectors } from '../../../lib/operations/connectors/find-connector.js';
import {
  listConnectorKinds,
  listConnectorRuns,
  listConnectors,
  listSkippedFiles,
  readConnector,
} from '../../../lib/operations/connectors/list-connectors.js';
import { testConnection, testConnector } from '../../../lib/operations/connectors/test-connection.js';
import { createFolder } from '../../../lib/operations/folders/create-folder.js';
import { listPrincipals } from '../../../lib/operations/principals/list-principals.js';
import { setPrincipalState } from '../../../lib/operations/principals/set-principal-state.js';
import { perform } from '../../../lib/operations/perform.js';
import { rebuild } from '../../../lib/operations/workspaces/rebuild.js';
import { findFolder } from '../../../lib/view/locate.js';
import { outcomeOf } from '../../support/store/actor.js';
import { operator } from '../../support/store/service.js';
import { ConnectedWorld } from './connected-world.js';

const whole = { location: parseFolderLocation(''), after: '', limit: 50 };

describe('Connecting a source', () => {
  let world: ConnectedWorld;

  beforeEach(async () => {
    world = await ConnectedWorld.open();
  });
  afterEach(() => world.close());

  it('refuses a name, new or changed, that looks like another one of the workspace', async () => {
    const said = /The name looks like "Ada" \(prn_\w+\), which is written with other characters/;
    assert.match(await messageOf(world.connect('docs/notes', { name: '\u0410da' })), said);
    const { id } = await world.connect('docs/notes', { name: 'Notes' });
    const rename = (name: string) => world.ada.perform(changeConnector, { connectorId: id, name });
    assert.match(await messageOf(rename('Ad\u0430')), said);
    assert.equal((await rename('N\u043etes')).name, 'N\u043etes', 'its own former name is no other');
  });

  it('makes the folder, the author of its documents, and a first run that is due', async () => {
    const connected = await world.connect('docs/notes', { name: '  Team notes ' });
    const { id, name, kind, state, nextRunAt, interval, hasSecret, createdBy, lastRun, described } = connected;
    assert.deepEqual([name, kind, state, hasSecret, lastRun], ['Team notes', 'folder', 'active', false, null]);
    assert.equal(nextRunAt, world.test.clock.now());
    assert.equal(interval, 60 * 60 * 1000);
    assert.match(described, /^The folder .*notes of the service's machine$/);
    assert.deepEqual(createdBy, { id: world.ada.id, kind: 'person', displayName: 'Ada' });
    assert.equal(mirrorOf('docs/notes'), id);
    const principals = await world.ada.perform(listPrincipals, { after: '', limit: 200 });
    assert.equal(principals.items.find((each) => each.id === id)?.kind, 'connector');
    assert.deepEqual(await world.ada.perform(readConnector, { connectorId: id }), connected);
  });

  it('takes an empty folder that is there, and no other', async () => {
    await world.ada.perform(createFolder, { location: parseLocation('empty') });
    await world.connect('empty');
    await world.ada.create('full/a.md');
    assert.equal(await outcomeOf(world.connect('full')), 'INVALID_REQUEST folder_not_empty');
    assert.equal(await outcomeOf(world.connect('full/a.md')), 'CONFLICT name_taken');
    assert.equal(await outcomeOf(world.connect('')), 'INVALID_REQUEST bad_location');
    assert.equal(mirrorOf('full'), null);
  });

  it('takes a folder whose documents were all deleted', async () => {
    await world.ada.perform(createFolder, { location: parseLocation('used') });
    await world.ada.create('used/a.md');
    await world.ada.delete('used/a.md');
    await world.connect('used');
    assert.equal(await outcomeOf(world.ada.undelete('used/a.md')), 'INVALID_REQUEST read_only_source');
  });

  it('nests no mirror above or below another', async () => {
    await world.connect('docs/notes');
    for (const place of ['docs/notes', 'docs/notes/deep', 'docs']) {
      assert.equal(await outcomeOf(world.connect(place)), 'CONFLICT mirror_nested', place);
    }
    await world.connect('docs/others');
  });

  it('stores nothing of settings that its kind does not take', async () => {
    const before = world.test.workspace.journal.state.head;
    const deep = JSON.parse(`{"path":${'['.repeat(5000)}${']'.repeat(5000)}}`) as ConnectInput['settings'];
    const refused: readonly [Parameters<ConnectedWorld['connect']>[1], RegExp][] = [
      [{ settings: {} }, /"path" is missing/],
      [{ settings: { ...world.notes, depth: 3 } }, /no setting "depth"/],
      [{ settings: { path: 7 } }, /"path" must be text/],
      [{ secret: 'never needed' }, /takes no secret/],
      [{ kind: 's3' }, /cannot mirror sources of the kind s3/],
      [{ settings: { path: 'x'.repeat(17_000) } }, /more than 16384 bytes/],
      [{ settings: { path: '/a\u202eb' } }, /cannot be seen or misleads/],
      [{ settings: deep }, /nest at most 8 deep/],
      [{ settings: { ['x'.repeat(5000)]: 1, ...world.notes } }, /^There is no setting "x{100}" for this kind\.$/],
      [{ interval: 4 * 60_000 }, /every 5 to 43200 minutes/],
      [{ name: ' ' }, /name must be 1 to 200/],
    ];
    for (const [change, message] of refused) assert.match(await messageOf(world.connect('docs', change)), message);
    const git = { kind: 'git', settings: world.refusing } as const;
    assert.match(await messageOf(world.connect('docs', { ...git, secret: 'x'.repeat(17_000) })), /1 to 16384 bytes/);
    assert.match(await messageOf(world.connect('docs', { ...git, secret: '' })), /1 to 16384 bytes/);
    assert.equal(world.test.workspace.journal.state.head, before);
    assert.deepEqual((await world.ada.perform(listConnectors, whole)).items, []);
  });

  it('has a bound for the connectors of a workspace', async () => {
    const { workspace } = world.test;
    const { id } = await world.connect('first');
    await workspace.journal.write({
      run({ tables, now }) {
        const row = { kind: 'folder', settings: {}, secret: null, interval: 1, createdAt: now } as const;
        for (let count = 1; count < maxConnectors; count += 1) {
          const other = `prn_${count}`;
          tables.principals.insert({ id: other, kind: 'connector', displayName: '', createdAt: now, disabledAt: null });
          tables.connectors.insert({ ...row, id: other, location: parseLocation(`m/${count}`), createdBy: id });
        }
      },
    });
    assert.equal(await outcomeOf(world.connect('more')), 'INVALID_REQUEST too_many_connectors');
  });

  it('happens once for each idempotency key, and says the same again', async () => {
    const retry = { key: 'key-1', fingerprint: Buffer.alloc(32, 1) };
    const once = () =>
      perform(world.test.workspace, world.ada.caller, connectSource, world.input('docs'), retry).then(
        ({ result, replayed }) => ({ id: result.id, replayed }),
      );
    const { id } = await once();
    assert.deepEqual(await once(), { id, replayed: true });
    assert.equal((await world.ada.perform(listConnectors, whole)).items.length, 1);
  });

  it('is for approvers of the folder alone: for everybody else there is nothing', async () => {
    const { id } = await world.connect('docs');
    const editor = await world.client('editor');
    const elsewhere = await world.client('approver', 'other');
    for (const other of [editor, elsewhere]) {
      assert.equal(await outcomeOf(world.connect('new', {}, other)), 'NOT_FOUND');
      const unknown = { connectorId: 'prn_unknown' };
      for (const input of [{ connectorId: id }, unknown]) {
        assert.equal(await outcomeOf(other.perform(readConnector, input)), 'NOT_FOUND');
        assert.equal(await outcomeOf(other.perform(testConnector, input)), 'NOT_FOUND');
        const page = { ...input, after: '', limit: 10 };
        assert.equal(await outcomeOf(other.perform(listConnectorRuns, page)), 'NOT_FOUND');
        assert.equal(await outcomeOf(other.perform(listSkippedFiles, page)), 'NOT_FOUND');
      }
      assert.deepEqual((await other.perform(listConnectors, whole)).items, []);
      assert.equal(await outcomeOf(other.perform(testConnection, world.input('new'))), 'NOT_FOUND');
    }
    const own = await world.client('approver', 'docs');
    assert.equal((await own.perform(readConnector, { connectorId: id })).id, id);
    assert.deepEqual(
      (await own.perform(listConnectors, whole)).items.map((each) => each.id),
      [id],
    );
  });

  it('goes on when the one who connected it is disabled, and its folder can be shared', async () => {
    const other = await world.client('approver', 'docs');
    const { id } = await world.connect('docs', {}, other);
    await world.test.grant('reader', { type: 'principal', id: await world.test.principal('Reader') }, 'docs');
    await perform(world.test.workspace, operator, setPrincipalState, { principalId: other.id, disabled: true });
    const { state, createdBy } = await world.ada.perform(readConnector, { connectorId: id });
    assert.deepEqual([state, createdBy.id], ['active', other.id]);
    assert.equal(await outcomeOf(other.perform(readConnector, { connectorId: id })), 'NOT_FOUND');
  });

  it('is listed by pages of what the caller manages, within a folder', async () => {
    for (const name of ['a', 'b', 'c']) await world.connect(`docs/${name}`, { name });
    await world.connect('other', { name: 'other' });
    const location = parseFolderLocation('docs');
    const first = await world.ada.perform(listConnectors, { location, after: '', limit: 2 });
    const second = await world.ada.perform(listConnectors, { location, after: first.next ?? '', limit: 2 });
    const names = [...first.items, ...second.items].map(({ name }) => name);
    assert.deepEqual(names.toSorted(), ['a', 'b', 'c']);
    assert.deepEqual([first.items.length, second.next], [2, null]);
  });

  it('a connected source stays a mirror after a rebuild', async () => {
    const { id } = await world.connect('docs');
    await world.ada.create('a.md');
    await rebuild(world.test.workspace, operator);
    assert.equal(mirrorOf('docs'), id);
  });

  it('tells the kinds that can be connected, with their settings', async () => {
    const kinds = await world.ada.perform(listConnectorKinds, {});
    assert.deepEqual(
      kinds.map(({ kind, secretMeans }) => [kind, secretMeans !== null]),
      [
        ['git', true],
        ['folder', false],
      ],
    );
  });

  const mirrorOf = (location: string) =>
    findFolder(world.test.workspace.journal.reader, parseLocation(location))?.row.mirror;
});

describe('Testing a connection', () => {
  let world: ConnectedWorld;

  beforeEach(async () => {
    world = await ConnectedWorld.open();
  });
  afterEach(() => world.close());

  it('says what was found, and stores nothing', async () => {
    const result = await world.ada.perform(testConnection, world.input('docs'));
    assert.equal(result.works, true);
    assert.deepEqual((await world.ada.perform(listConnectors, whole)).items, []);
  });

  it('says who can mend what does not work, and keeps the secret to itself', async () => {
    const secret = 'correct horse: "battery"';
    const input = world.input('docs', { kind: 'git', settings: world.refusing, secret });
    const result = await world.ada.perform(testConnection, input);
    assert.ok(!result.works);
    assert.equal(result.fault, 'auth');
    assert.ok(world.authorizations.length > 0, 'the secret was used');
    const elsewhere = await world.ada.perform(testConnection, { ...input, settings: { url: 'http://127.0.0.1:9/a' } });
    assert.deepEqual([elsewhere.works, !elsewhere.works && elsewhere.fault], [false, 'denied_egress']);
    const said = JSON.stringify([result, elsewhere, world.log, world.faults]);
    for (const form of [secret, 'correct horse', Buffer.from(`ada:${secret}`).toString('base64')]) {
      assert.ok(!said.includes(form), form);
    }
  });

  it('ends in its time when the source is silent', async () => {
    const hasty = await ConnectedWorld.open('memory', 100);
    try {
      hasty.isMute = true;
      const silent = hasty.input('docs', { kind: 'git', settings: hasty.refusing, secret: 'a secret' });
      const result = await hasty.ada.perform(testConnection, silent);
      assert.deepEqual([result.works, !result.works && result.fault], [false, 'network']);
    } finally {
      await hasty.close();
    }
  });

  it('uses the stored secret with the stored settings alone', async () => {
    const { id } = await world.connectWithSecret('docs', 'stored secret');
    const before = world.authorizations.length;
    const result = await world.ada.perform(testConnector, { connectorId: id });
    assert.equal(result.works, false);
    const sent = `Basic ${Buffer.from('ada:stored secret').toString('base64')}`;
    assert.ok(world.authorizations.slice(before).includes(sent));
  });
});

/** The message of a refusal. */
async function messageOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Refusal);
  return error.message;
}
