import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { git } from '../support/git/git-client.js';
import { WorkTree } from '../support/git/work-tree.js';
import type { HttpClient } from '../support/http/server.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { eraseAt } from '../support/store/erase-at.js';
import { operator } from '../support/store/service.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('who received a document, and who changed it, is found', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  /** Approver of the root. */
  let root: RemotePerson;
  let admin: HttpClient;
  /** Approver of `eng`, and of nothing else. */
  let ada: HttpClient;
  /** Readers of `eng`, of `eng/plans`, and of `hr`. */
  let ben: RemotePerson;
  let cleo: RemotePerson;
  let dan: RemotePerson;
  let clones = 0;

  beforeEach(async () => {
    server = await openRemoteServer();
    root = await server.cloner('approver', '', 'Root');
    admin = server.as(root.key);
    ada = server.as((await server.cloner('approver', 'eng', 'Ada')).key);
    ben = await server.cloner('reader', 'eng', 'Ben');
    cleo = await server.cloner('reader', 'eng/plans', 'Cleo');
    dan = await server.cloner('reader', 'hr', 'Dan');
    await admin.create('eng/plans/a.md', 'alpha');
    await admin.create('eng/b.md', 'beta');
    await admin.create('hr/c.md', 'gamma');
  });
  afterEach(() => server.close());

  it('by a clone of everyone who could read it, and of no one else', async () => {
    for (const person of [root, ben, cleo, dan]) await clone(person);
    assert.deepEqual(await fetchersOf('eng'), ['Root', 'Ben', 'Cleo']);
    assert.deepEqual(await fetchersOf('eng/plans/a.md'), ['Root', 'Ben', 'Cleo']);
    assert.deepEqual(await fetchersOf('eng/b.md'), ['Root', 'Ben']);
    assert.deepEqual(await fetchersOf('hr', admin), ['Root', 'Dan']);
  });

  it('by a fetch of what is new, and of what the caller may read since the one before', async () => {
    const clones = [await clone(root), await clone(cleo)];
    const pull = async (): Promise<void> => {
      for (const folder of clones) await git(folder, ['pull', '-q', '--rebase']);
    };
    await admin.put('/v1/documents/hr/c.md', { content: 'other' });
    await ada.put('/v1/documents/eng/b.md', { content: 'other' }).then(({ status }) => assert.equal(status, 200));
    await pull();
    assert.deepEqual(await fetchersOf('eng/b.md'), ['Root', 'Root']);
    assert.deepEqual(await fetchersOf('eng/plans/a.md'), ['Root', 'Cleo']);
    await server.host.grant('reader', { type: 'principal', id: cleo.id }, 'eng');
    await pull();
    assert.deepEqual(await fetchersOf('eng/b.md'), ['Root', 'Root', 'Cleo']);
    assert.deepEqual(await fetchersOf('eng/plans/a.md'), ['Root', 'Cleo', 'Cleo'], 'a new grant counts as a whole');
    await move('hr/c.md', 'eng/plans');
    await pull();
    assert.deepEqual(await fetchersOf('eng/plans/c.md'), ['Root', 'Root', 'Cleo']);
  });

  it('by a clone that asks for parts, however little is sent', async () => {
    await git(server.folder, ['clone', '-q', '--depth=1', ben.url, 'shallow']);
    await git(join(server.folder, 'shallow'), ['fetch', '-q', '--unshallow']);
    assert.deepEqual(await fetchersOf('eng/b.md'), ['Ben', 'Ben']);
  });

  it('by a clone of a person with a grant on the document alone', async () => {
    const eve = await server.cloner(null, '', 'Eve');
    await server.host.grant('reader', { type: 'principal', id: eve.id }, 'eng/b.md', 'document');
    await clone(eve);
    assert.deepEqual(await fetchersOf('eng/b.md'), ['Eve']);
    assert.deepEqual(await fetchersOf('eng'), ['Eve']);
    assert.deepEqual(await fetchersOf('eng/plans'), []);
  });

  it('without a word of what else was given out', async () => {
    await clone(root);
    await exportOf(admin, '');
    await admin.get('/v1/search?q=beta');
    for (const action of ['repository.fetch', 'folder.export', 'document.search']) {
      const entries = await ask('eng/b.md', action);
      assert.ok(entries.length > 0, action);
      for (const { target, version, detail, document_id } of entries) {
        assert.deepEqual([target, version, detail, document_id], [null, null, null, null], action);
      }
    }
    assert.equal((await ask('eng', 'repository.fetched')).length, 0, 'how much was sent');
    assert.equal((await ask('eng', 'folder.exported')).length, 0, 'how much was sent');
  });

  it('by an export of a folder above, as far as its caller reached', async () => {
    await exportOf(admin, '');
    await exportOf(server.as(ben.key), 'eng');
    await exportOf(server.as(dan.key), '');
    await exportOf(server.as(cleo.key), 'eng');
    assert.deepEqual(await exportersOf('eng/b.md'), ['Root', 'Ben']);
    assert.deepEqual(await exportersOf('eng/plans'), ['Root', 'Ben', 'Cleo']);
  });

  it('by a search that showed it, without what was sought', async () => {
    await server.as(ben.key).get('/v1/search?q=beta');
    await server.as(dan.key).get('/v1/search?q=gamma');
    const entries = await ask('eng/b.md', 'document.search');
    assert.deepEqual(namesOf(entries), ['Ben']);
    assert.equal(entries[0]?.target, null);
    assert.deepEqual(await ask('eng/plans/a.md', 'document.search'), []);
  });

  it('by a push, and by what was done to a folder above', async () => {
    const tree = await WorkTree.clone(server.folder, root.url, 'pushes');
    await tree.commit({ 'eng/plans/a.md': 'changed', 'hr/d.md': 'new' }, 'Two');
    assert.equal((await tree.push()).code, 0);
    assert.deepEqual(namesOf(await ask('eng/plans', 'repository.push')), ['Root']);
    assert.deepEqual(namesOf(await ask('eng/plans/a.md', 'repository.push')), ['Root']);
    assert.deepEqual(await ask('eng/b.md', 'repository.push'), []);
    await move('eng/plans', 'eng/old');
    assert.deepEqual(namesOf(await ask('eng/old/plans/a.md', 'item.move')), ['Root']);
  });

  it('by the place that it had then, where it was moved', async () => {
    await clone(dan);
    await clone(ben);
    await move('hr/c.md', 'eng');
    assert.deepEqual(await fetchersOf('eng/c.md'), ['Dan']);
    assert.doesNotMatch(JSON.stringify(await ask('eng/c.md', 'repository.fetch')), /\bhr\b/);
    await admin.create('hr/e.md', 'more');
    await clone(dan);
    await clone(ben);
    assert.deepEqual(await fetchersOf('eng/c.md'), ['Dan', 'Ben'], 'what Dan fetched later did not hold it');
    assert.deepEqual(await fetchersOf('eng'), ['Dan', 'Ben', 'Ben']);
    assert.deepEqual(await fetchersOf('hr/e.md', admin), ['Dan'], 'it was not there before');
  });

  it('through moves of the folders around it', async () => {
    for (const person of [ben, cleo, dan]) await clone(person);
    await move('eng', 'org');
    await move('hr/c.md', 'org/eng/plans/new');
    await move('org/eng/plans', 'org');
    const org = (location: string): Promise<string[]> => fetchersOf(location, admin);
    assert.deepEqual(await org('org/eng/b.md'), ['Ben']);
    assert.deepEqual(await org('org/plans/a.md'), ['Ben', 'Cleo']);
    assert.deepEqual(await org('org/plans'), ['Ben', 'Cleo', 'Dan']);
    assert.deepEqual(await org('org/eng'), ['Ben'], 'what Cleo fetched has left it');
    assert.deepEqual(await org('hr'), ['Dan']);
  });

  it('and not by what a folder gave out that came and has left, though another has its name', async () => {
    await clone(dan);
    await move('hr', 'eng');
    assert.deepEqual(await fetchersOf('eng'), ['Dan']);
    await admin.create('eng/hr/team/d.md', 'delta');
    await move('eng/hr', 'org');
    await admin.create('eng/hr/c.md', 'another');
    await admin.create('eng/hr/team/d.md', 'another');
    assert.deepEqual(await fetchersOf('eng'), []);
    assert.deepEqual(await fetchersOf('eng/hr'), []);
    assert.deepEqual(await fetchersOf('eng/hr/c.md'), []);
    assert.deepEqual(await fetchersOf('org', admin), ['Dan']);
    assert.deepEqual(await fetchersOf('org/hr/c.md', admin), ['Dan']);
    await move('org/hr', 'eng/plans');
    assert.deepEqual(await fetchersOf('eng'), ['Dan'], 'it came again by another way');
    assert.deepEqual(await fetchersOf('eng/hr'), []);
  });

  it('and not by what a folder inside gave out that was taken out, though another has its name', async () => {
    const eve = await server.cloner('reader', 'hr/team', 'Eve');
    await admin.create('hr/team/d.md', 'delta');
    await clone(eve);
    await move('hr', 'eng');
    assert.deepEqual(await fetchersOf('eng'), ['Eve']);
    await move('eng/hr/team', 'org');
    await admin.create('eng/hr/team/d.md', 'another');
    assert.deepEqual(await fetchersOf('eng'), []);
    assert.deepEqual(await fetchersOf('org', admin), ['Eve']);
  });

  it('and not by a folder that came and was emptied', async () => {
    await clone(dan);
    await move('hr', 'eng');
    await move('eng/hr/c.md', 'org');
    assert.deepEqual(await fetchersOf('eng'), []);
    assert.deepEqual(await fetchersOf('org/c.md', admin), ['Dan']);
  });

  it('of a deleted document by the folder that brought it, though this has left without it', async () => {
    await clone(dan);
    await move('hr', 'eng');
    await admin.delete('/v1/documents/eng/hr/c.md');
    await admin.create('eng/hr/d.md', 'delta');
    await move('eng/hr', 'org');
    assert.deepEqual(await fetchersOf('eng'), ['Dan']);
  });

  it('of a deleted document not by a folder that came to its place later', async () => {
    const eve = await server.cloner('reader', 'org', 'Eve');
    await admin.create('org/plans/e.md', 'epsilon');
    await admin.create('eng/new/f.md', 'zeta');
    await admin.delete('/v1/documents/eng/new/f.md');
    await admin.create('org/new/g.md', 'eta');
    await clone(eve);
    await move('org/new', 'eng');
    assert.deepEqual(await fetchersOf('eng/new/f.md'), []);
    assert.deepEqual(await fetchersOf('eng/new/g.md'), ['Eve']);
    assert.deepEqual(await fetchersOf('eng'), ['Eve']);
  });

  it('and not by what was given out before it was made, or exported after it was deleted', async () => {
    await clone(ben);
    await exportOf(server.as(ben.key), 'eng');
    await admin.create('eng/late.md', 'late');
    assert.deepEqual(await fetchersOf('eng/late.md'), []);
    assert.deepEqual(await exportersOf('eng/late.md'), []);
    await clone(ben);
    await admin.delete('/v1/documents/eng/late.md');
    await exportOf(server.as(ben.key), 'eng');
    // The history of a clone can still hold it.
    await clone(cleo);
    await clone(ben);
    assert.deepEqual(await exportersOf('eng/late.md'), []);
    assert.deepEqual(await fetchersOf('eng/late.md'), ['Ben', 'Ben']);
  });

  it('also after the rows were made again from the repository', async () => {
    await clone(ben);
    await server.as(ben.key).get('/v1/search?q=beta');
    await rebuild(server.host.workspace, operator);
    assert.deepEqual(await fetchersOf('eng/b.md'), ['Ben']);
    assert.deepEqual(namesOf(await ask('eng/b.md', 'document.search')), ['Ben']);
  });

  it('until it is erased: then nothing of its place is kept', async () => {
    const { host } = server;
    const erase = async (location: string): Promise<void> => {
      const { id } = await eraseAt(host.workspace, location);
      await host.workspace.eraser.finished(id);
    };
    // A folder of the same name has been, and nothing tells it from the document any more.
    await admin.create('eng/merger-with-acme/one.md', 'secret');
    await exportOf(admin, 'eng/merger-with-acme');
    await admin.get('/v1/search?q=secret');
    await erase('eng/merger-with-acme/one.md');
    await admin.create('eng/merger-with-acme.md', 'secret');
    await admin.get('/v1/search?q=secret');
    await erase('eng/merger-with-acme.md');
    const file = new Sqlite(pathsOf(host.dataFolder ?? assert.fail(), host.workspace.name).sidecar);
    try {
      const places = file.prepare('SELECT place FROM audit_place_set_folder').all();
      assert.ok(!JSON.stringify(places).includes('merger'), JSON.stringify(places));
      assert.deepEqual(file.prepare('SELECT * FROM audit_touched').all(), []);
    } finally {
      file.close();
    }
    const { text } = await ada.get('/v1/audit?location=eng');
    assert.ok(!text.includes('merger'), text);
  });

  const namesOf = (entries: readonly Entry[]): string[] =>
    entries.map(({ principal }) => principal.display_name).toReversed();

  const fetchersOf = async (location: string, who = ada): Promise<string[]> =>
    namesOf(await ask(location, 'repository.fetch', who));

  const exportersOf = async (location: string): Promise<string[]> => namesOf(await ask(location, 'folder.export'));

  const exportOf = (who: HttpClient, location: string) => who.get(`/v1/folders/export?location=${location}`);

  const move = async (location: string, folder: string): Promise<void> => {
    const input = { location, to_folder: folder, acknowledge_access_change: true };
    const { status, text } = await admin.post('/v1/moves', input);
    assert.equal(status, 200, text);
  };

  async function clone({ url }: RemotePerson): Promise<string> {
    clones += 1;
    await git(server.folder, ['clone', '-q', url, `clone-${clones}`]);
    return join(server.folder, `clone-${clones}`);
  }

  async function ask(location: string, action: string, who = ada): Promise<Entry[]> {
    const { status, text, json } = await who.get(`/v1/audit?location=${location}&action=${action}`);
    assert.equal(status, 200, text);
    return (json as { items: Entry[] }).items;
  }
});

interface Entry {
  readonly action: string;
  readonly target: string | null;
  readonly version: string | null;
  readonly detail: object | null;
  readonly document_id: string | null;
  readonly principal: { readonly display_name: string };
}
