import assert from 'node:assert/strict';
import { join } from 'node:path';
import { schemaPath } from '../../lib/app/upgrade.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { openSidecar } from '../../lib/sidecar/sidecar.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { Sqlite } from '../support/store/sqlite.js';

/** Brings the rows to what an earlier program had after the same changes: it knew each deletion's folders alone. */
const asBefore = `
  ALTER TABLE folder_deletion ADD COLUMN kept TEXT NOT NULL DEFAULT '[]';
  DROP TABLE deleted_folder;
  UPDATE folder_deletion SET kept = '["h/sub"]' WHERE location = 'h';
  DELETE FROM folder_deletion WHERE location = 'm';
  INSERT INTO folder_deletion (moment, commit_oid, location, kept, author, at)
    SELECT moment, commit_oid, folder, '[]', author, at FROM deletion WHERE folder = 'g';
  DROP TABLE stored_object;
  DROP INDEX credential_by_made_with;
  ALTER TABLE credential DROP COLUMN made_with;
  ALTER TABLE credential DROP COLUMN acknowledged_at;
  DROP INDEX document_by_twin_key;
  DROP INDEX folder_by_twin_key;
  DROP INDEX principal_by_name;
  DROP INDEX principal_group_by_name;
  ALTER TABLE document DROP COLUMN twin_key;
  ALTER TABLE folder DROP COLUMN twin_key;
  ALTER TABLE pending_object DROP COLUMN base;
  ALTER TABLE pending_object DROP COLUMN depth;
  PRAGMA user_version = 24;`;

describe('deletions of folders that an earlier program wrote', () => {
  let service: TestService;
  let ada: Client;
  let file: string;

  beforeEach(async () => {
    service = await openTestService({ store: 'disk-without-git' });
    file = join(service.dataFolder ?? '', 'acme', 'sidecar.sqlite');
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
    for (const place of ['h/x', 'h/y', 'g/x', 'm/x']) await ada.create(place, place);
    await ada.createFolder('h/sub');
    await ada.createFolder('m/p');
    // In part: one document stays deleted, and the folder that came back goes elsewhere.
    await ada.deleteFolder('h');
    await ada.create('h/x', 'in its place');
    await ada.undeleteFolder('h');
    await ada.move('h/sub', 'k', true);
    // One by one.
    await ada.deleteFolder('g');
    await ada.undelete('g/x');
    // But for a folder whose place was taken.
    await ada.deleteFolder('m');
    await ada.create('m/p', 'in its place');
    await ada.undeleteFolder('m');
    // That program had no deltas of trees.
    await service.workspace.checkpointer.run();
  });
  afterEach(() => service.close());

  it('verify as sound once they are upgraded', async () => {
    assert.deepEqual(await findProblems(), []);
    edit(asBefore);
    openSidecar(file, schemaPath('sidecar')).close();
    assert.deepEqual(await findProblems(), []);
    const connection = new Sqlite(file, { readonly: true });
    const left = connection.prepare('SELECT location FROM folder_deletion').pluck().all();
    connection.close();
    assert.deepEqual(left, ['h']);
  });

  it('are compared as exactly as all others from then on', async () => {
    edit(asBefore);
    openSidecar(file, schemaPath('sidecar')).close();
    edit("UPDATE meta SET value = '1' WHERE name = 'deleted_folders_since'");
    assert.deepEqual(await findProblems(), [
      'h/sub: deleted folder is among the rows, but not in the history.',
      'm/p: deleted folder is in the history, but has no row.',
    ]);
  });

  function edit(statements: string): void {
    const connection = new Sqlite(file);
    try {
      connection.exec(statements);
    } finally {
      connection.close();
    }
  }

  async function findProblems(): Promise<string[]> {
    const options = { dataFolder: service.dataFolder ?? '', name: 'acme', git: 'never' } as const;
    const { problems } = await verifyWorkspace(options, () => undefined);
    return problems.map(({ location, message }) => `${location}: ${message}`);
  }
});
