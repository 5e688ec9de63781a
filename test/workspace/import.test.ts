import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { describeImportedCommit, findImportedCommit } from '../../lib/operations/folders/find-imported-commit.js';
import { perform } from '../../lib/operations/perform.js';
import { openActors, type Actors, type Person } from '../support/model/actors.js';
import { outcomeOf } from '../support/store/actor.js';

describe('An import', () => {
  let actors: Actors;

  beforeEach(async () => {
    actors = await openActors();
  });
  afterEach(() => actors.service.close());

  it('imports everything by one commit, and changes nothing the second time', async () => {
    const editor = await actors.person('editor', 'own');
    const files = { 'own/a.md': 'one', 'own/b/c.md': 'two' };
    const { created, versionId } = await bring(editor, 'own', files);
    assert.deepEqual(created, ['own/a.md', 'own/b/c.md']);
    assert.equal(actors.service.workspace.journal.state.head, versionId);
    const again = await bring(editor, 'own', files);
    assert.deepEqual([again.created, again.unchanged, again.versionId], [[], ['own/a.md', 'own/b/c.md'], null]);
    assert.equal(await editor.read('own/b/c.md'), 'two');
  });

  it('never overwrites: an existing document with other bytes stays, with the reason', async () => {
    const editor = await actors.person('editor', 'own');
    await actors.admin.create('own/a.md', 'mine');
    const { created, skipped } = await bring(editor, 'own', {
      'own/a.md': 'other',
      'own/b.md': 'new',
      'own/b.md/c': 'x',
    });
    assert.deepEqual(created, ['own/b.md']);
    assert.deepEqual(
      skipped.map(({ location }) => location),
      ['own/a.md', 'own/b.md/c'],
    );
    assert.match(skipped[0]?.reason ?? '', /lives at "own\/a\.md" already/);
    assert.equal(await editor.read('own/a.md'), 'mine');
  });

  it('writes nowhere without its editor’s right, and reveals nothing of documents there', async () => {
    const editor = await actors.person('editor', 'own');
    await actors.admin.create('secret/same.md', 'guess');
    await actors.admin.create('secret/other.md', 'something else');
    const outside = {
      'secret/same.md': 'guess',
      'secret/other.md': 'guess',
      'secret/absent.md': 'guess',
      'top.md': 'x',
    };
    const { created, unchanged, skipped, versionId } = await bring(editor, 'own', { ...outside, 'own/a.md': 'mine' });
    assert.deepEqual([created, unchanged], [['own/a.md'], []]);
    assert.notEqual(versionId, null);
    assert.deepEqual(
      skipped.map(({ location }) => location as string),
      Object.keys(outside),
    );
    assert.equal(new Set(skipped.map(({ reason }) => reason)).size, 1);
    assert.deepEqual(await actors.admin.list('secret'), ['other.md', 'same.md']);
    assert.equal(await actors.admin.read('secret/other.md'), 'something else');
  });

  it('by a reader is not found', async () => {
    const reader = await actors.person('reader', 'own');
    assert.equal(await outcomeOf(bring(reader, 'own', { 'own/a.md': 'x' })), 'NOT_FOUND');
  });

  it('of a history continues where the caller was, and not where another importer claims to have been', async () => {
    const editor = await actors.person('editor', 'own');
    const into = parseLocation('own');
    const [first, second] = ['1'.repeat(40), '2'.repeat(40)];
    const signature = { name: 'Grace\u0007', email: 'grace@example.org', seconds: 1_600_000_000 };
    const commit = { tree: '', parents: [], author: signature, committer: signature, message: `${'x'.repeat(2000)}\n` };
    const describe = (oid: string): string => describeImportedCommit(oid, commit, into);
    const find = async (by: Person, where = into, among = [first, second]) =>
      (await perform(actors.service.workspace, by.caller, findImportedCommit, { into: where, among: new Set(among) }))
        .result;
    assert.equal(await find(actors.admin), null);
    assert.match(describe(first), /^x{249}…\n\nGrace <grace@example.org>, 2020-09-13T12:26:40Z\ngit commit 1{40}, /);
    await bring(actors.admin, 'own', { 'own/a.md': 'one' }, describe(first));
    await bring(editor, 'own', { 'own/b.md': 'two' }, describe(second));
    await bring(actors.admin, 'own', { 'own/c.md': 'three' });
    assert.equal(await find(actors.admin), first);
    assert.equal(await find(actors.admin, parseLocation('elsewhere')), null);
    assert.equal(await find(actors.admin, into, [second]), null);
    assert.equal(await outcomeOf(find(editor)), 'NOT_FOUND');
  });

  async function bring(
    by: Person,
    into: string,
    files: Readonly<Record<string, string>>,
    message: string | null = null,
  ) {
    const input = {
      into: parseLocation(into),
      files: Object.entries(files).map(([location, text]) => ({
        location: parseLocation(location),
        content: { bytes: Buffer.from(text) },
      })),
      message,
    };
    return (await perform(actors.service.workspace, by.caller, importDocuments, input)).result;
  }
});
