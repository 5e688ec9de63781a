import assert from 'node:assert/strict';
import { join } from 'node:path';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { Sqlite } from '../support/store/sqlite.js';

/** The tables that a rebuild replaces, with their columns. `compare-content.ts` compares them. */
const columnsMadeAgain = {
  document:
    'changed_at created_at deleted_at deleted_by deleted_commit deleted_location deleted_moment first_moment folder id last_moment name number sequence twin_key',
  version:
    'at author blob_oid commit_oid document id kind location media_type message moment operation original_author sequence sha256 size',
  relocation: 'at author commit_oid document from_location moment number operation to_location',
  deletion: 'at author commit_oid document folder location moment',
  folder: 'kept mirror name number parent twin_key',
  folder_deletion: 'at author commit_oid location moment',
  deleted_folder: 'deletion location',
};

describe('a rebuild from the repository', () => {
  let service: TestService;
  let ada: Client;

  beforeEach(async () => {
    service = await openTestService({ store: 'disk' });
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
  });
  afterEach(() => service.close());

  it('makes restores, deletions, folders deleted as one and reverts again as they were', async () => {
    const wild = await addClient({ service, workspace: service.workspace }, 'Wild', 'editor');
    const first = (await ada.create('a/x.md', 'one')).current.id;
    await ada.update('a/x.md', 'two');
    await ada.create('a/b/y.md', 'y');
    await ada.createFolder('a/kept');
    await ada.restore('a/x.md', first);
    await ada.deleteFolder('a');
    await ada.undeleteFolder('a');
    await ada.rename('a', 'c');
    await ada.deleteFolder('c/b');
    await ada.create('c/b/y.md', 'in its place');
    await ada.create('c/b/z.md', 'z');
    await ada.deleteFolder('c/b');
    await ada.undeleteFolder('c/b');
    service.clock.advance(1000);
    const since = service.clock.now();
    await wild.update('c/x.md', 'bad');
    await wild.create('c/junk.md', 'junk');
    await wild.delete('c/b/z.md');
    const { digest } = await ada.previewRevert(wild.id, '', since);
    assert.equal((await ada.revert(wild.id, '', since, digest)).steps.length, 3);
    const [rows, historyLines] = [dumpRows(service), await ada.historyLines('c/x.md')];
    await rebuild(service.workspace, operator);
    assert.deepEqual(dumpRows(service), rows);
    assert.deepEqual(await ada.historyLines('c/x.md'), historyLines);
    await ada.rename('c', 'd');
    assert.deepEqual((await ada.historyLines('d/x.md')).slice(0, 2), [
      'rename folder c/x.md > d/x.md',
      'revert c/x.md',
    ]);
    assert.equal(await ada.read('d/b/z.md'), 'z');
  });

  it('replaces only tables in which the repository holds every column', () => {
    const connection = new Sqlite(join(service.dataFolder ?? '', 'acme', 'sidecar.sqlite'), { readonly: true });
    try {
      const columns = connection
        .prepare<[string], string>('SELECT name FROM pragma_table_info(?) ORDER BY name')
        .pluck();
      for (const [table, known] of Object.entries(columnsMadeAgain)) {
        const remedy = `A rebuild makes the rows of ${table} again from commits. What no commit holds needs a table of its own.`;
        assert.deepEqual(columns.all(table), known.split(' '), remedy);
      }
    } finally {
      connection.close();
    }
  });
});

/** All rows that a rebuild must make again; documents by their ids, since their numbers may differ. */
function dumpRows(test: TestService): unknown {
  const connection = new Sqlite(join(test.dataFolder ?? '', 'acme', 'sidecar.sqlite'), { readonly: true });
  const read = (select: string): unknown[] => connection.prepare(select).all();
  try {
    return {
      versions: read(
        `SELECT d.id AS doc, v.sequence, v.id, v.commit_oid, v.blob_oid, v.size, v.location, v.operation, v.moment,
           v.author, v.at, v.media_type, v.message
         FROM version v JOIN document d ON d.number = v.document ORDER BY d.id, v.sequence`,
      ),
      documents: read(
        `SELECT id, name, sequence, deleted_at, deleted_by, deleted_commit, deleted_location FROM document ORDER BY id`,
      ),
      folders: read('SELECT name, kept FROM folder ORDER BY name, kept'),
      relocations: read('SELECT commit_oid, from_location, to_location, moment FROM relocation ORDER BY number'),
      deletions: read(
        `SELECT d.id AS doc, e.moment, e.commit_oid, e.location, e.folder, e.author, e.at
         FROM deletion e JOIN document d ON d.number = e.document ORDER BY e.moment, d.id`,
      ),
      folderDeletions: read('SELECT * FROM folder_deletion ORDER BY moment'),
      deletedFolders: read('SELECT * FROM deleted_folder ORDER BY location'),
    };
  } finally {
    connection.close();
  }
}
