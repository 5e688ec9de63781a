import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { decodeEvent } from '../../lib/history/event-codec.js';
import { parseCommitMessage } from '../../lib/history/trailers.js';
import { mirrorSource } from '../../lib/operations/connectors/mirror-source.js';
import { addComment } from '../../lib/operations/comments/add-comment.js';
import { listComments } from '../../lib/operations/comments/list-comments.js';
import { addLabels } from '../../lib/operations/documents/change-labels.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import { annotateDocument } from '../../lib/operations/history/annotate-document.js';
import { listHistory } from '../../lib/operations/history/list-history.js';
import { previewRevert } from '../../lib/operations/history/revert-changes.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { readMirror } from '../support/store/read-mirror.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { entryOf, TestMirror } from '../support/store/test-mirror.js';

describe('A mirror of a source', () => {
  let test: TestService;
  let mirror: TestMirror;
  let person: Actor;

  beforeEach(async () => {
    test = await openTestService({ store: 'memory' });
    mirror = await TestMirror.open(test.workspace, 'docs/upstream');
    person = new Actor(test.workspace, (await test.person('approver')).id);
  });
  afterEach(() => test.close());

  it('is one commit for each sync, and the commit says what moved and from which state of the source', async () => {
    const { journal, objects } = test.workspace;
    await mirror.sync({ written: { 'a.md': 'a', 'b/c.md': 'c', 'b/d.png': '\0png' } });
    const { commits } = journal.state;
    const result = await mirror.sync({
      written: { 'a.md': 'again', 'new.md': 'new' },
      moved: { 'b/c.md': 'e/f.md' },
      deleted: ['b/d.png'],
      version: ' 1f0c\nOperation: delete ',
    });
    assert.deepEqual(result, {
      versionId: journal.state.head,
      created: 1,
      updated: 1,
      moved: 1,
      deleted: 1,
      leftOut: [],
      tooMany: null,
    });
    assert.equal(journal.state.commits, commits + 1);
    const { message } = await objects.readCommit(journal.state.head ?? '');
    const event = decodeEvent(parseCommitMessage(message) ?? { trailers: [] });
    const { id } = (await readMirror(mirror)).get('e/f.md') ?? { id: '' };
    assert.deepEqual(event, {
      type: 'mirror',
      connectorId: mirror.caller.principalId,
      location: mirror.folder,
      sourceVersion: '1f0c Operation: delete',
      mediaTypes: { usual: 'text/markdown; charset=utf-8', others: new Map() },
      moved: [{ documentId: id, from: mirror.at('b/c.md'), to: mirror.at('e/f.md') }],
    });
    assert.deepEqual(await pathsOf(), ['a.md', 'e/f.md', 'new.md']);
    assert.deepEqual(await person.list(mirror.folder), ['e/', 'a.md', 'new.md'], 'the empty folder b has gone');
  });

  it('makes no commit where nothing has changed, and notes where the next run goes on', async () => {
    await mirror.sync({ written: { 'a.md': 'a' } });
    const { commits } = test.workspace.journal.state;
    const result = await mirror.sync({ written: { 'a.md': 'a' }, deleted: ['never.md'], version: 'two' });
    assert.equal(result.versionId, null);
    assert.equal(test.workspace.journal.state.commits, commits);
    const { connectors } = test.workspace.journal.reader;
    assert.equal(connectors.byId(mirror.caller.principalId)?.sourceVersion, 'two');
    assert.equal(connectors.cursorOf(mirror.caller.principalId), 'cursor');
  });

  it('keeps the comments, labels and history of a document that the source moved', async () => {
    await mirror.sync({ written: { 'a.md': '# Plan\n\nOne line' } });
    const from = mirror.at('a.md');
    await perform(test.workspace, person.caller, addComment, {
      location: from,
      text: 'Which line?',
      mentions: [],
    });
    await perform(test.workspace, person.caller, addLabels, { location: from, labels: ['draft'] });
    await mirror.sync({ written: { 'b/c.md': '# Plan\n\nTwo lines' }, moved: { 'a.md': 'b/c.md' } });

    const location = mirror.at('b/c.md');
    const comments = await perform(test.workspace, person.caller, listComments, {
      location,
      after: '',
      limit: 10,
      which: 'all',
    });
    assert.equal(comments.result.items.length, 1);
    const document = test.workspace.view(person.caller).document(location);
    assert.deepEqual(document?.labels, ['draft']);
    const { result } = await perform(test.workspace, person.caller, listHistory, { location, after: '', limit: 10 });
    const entries = result.items.map((entry) =>
      entry.type === 'version'
        ? `${entry.operation} at ${entry.location}`
        : entry.type === 'relocation'
          ? `${entry.operation} from ${entry.from} to ${entry.to}`
          : entry.type,
    );
    assert.deepEqual(entries, [
      'move from docs/upstream/a.md to docs/upstream/b/c.md',
      'mirror at docs/upstream/b/c.md',
      'mirror at docs/upstream/a.md',
    ]);
    assert.ok(result.items.every(({ author }) => author.id === mirror.caller.principalId));
    const found = await perform(test.workspace, person.caller, searchDocuments, {
      query: 'lines',
      location: parseLocation('docs'),
      labels: [],
      limit: 10,
      position: null,
    });
    assert.deepEqual(
      found.result.hits.map((hit) => hit.document.location),
      [location],
    );
  });

  it('leaves out what cannot have its place, with the reason, and mirrors the rest', async () => {
    await test.grant('reader', { type: 'principal', id: person.caller.principalId }, 'docs/upstream/granted/deep');
    const paths = ['ok.md', 'granted', 'granted/deep', 'granted/deep/in.md', 'file', 'file/below.md', ' blank.md'];
    const { leftOut, created } = await mirror.sync({
      written: Object.fromEntries(paths.map((path) => [path, path])),
      entries: { put: paths.map((path) => entryOf(path)) },
    });
    assert.equal(created, 3);
    assert.deepEqual(
      leftOut.map(({ location, reason }) => [location.slice(mirror.folder.length + 1), reason]),
      [
        ['granted', 'name_taken'],
        ['granted/deep', 'name_taken'],
        ['file/below.md', 'name_taken'],
        [' blank.md', 'bad_name'],
      ],
    );
    assert.deepEqual(await pathsOf(), ['file', 'granted/deep/in.md', 'ok.md']);
    const { mirrorEntries } = test.workspace.journal.reader;
    assert.deepEqual(
      mirrorEntries.skipped(mirror.caller.principalId, '', 10).map(({ path }) => path),
      [' blank.md', 'file/below.md', 'granted', 'granted/deep'],
    );
  });

  it('deletes what moved to a place that it cannot have: the source has it in the old one no more', async () => {
    await mirror.sync({ written: { 'a.md': 'a', 'b.md': 'b' } });
    const { leftOut, deleted, moved } = await mirror.sync({ moved: { 'a.md': 'b.md/c.md' } });
    assert.deepEqual([leftOut.length, deleted, moved], [1, 1, 0]);
    assert.deepEqual(await pathsOf(), ['b.md']);
  });

  it('puts deleted documents into the trash, from which nobody brings them back while it stands', async () => {
    await mirror.sync({ written: { 'a.md': 'a' } });
    await mirror.sync({ deleted: ['a.md'] });
    assert.equal(await outcomeOf(person.undelete(mirror.at('a.md'))), 'INVALID_REQUEST read_only_source');
    const [deleted] = test.workspace.journal.reader.documents.deletedAt(mirror.at('a.md'));
    assert.equal(deleted?.deletedBy, mirror.caller.principalId);
    assert.deepEqual(await person.list('docs'), ['upstream/'], 'the folder of the mirror stays when it is empty');
  });

  it('refuses the writes of people, and of every other connector', async () => {
    await mirror.sync({ written: { 'a.md': 'a' } });
    assert.equal(await outcomeOf(person.update(mirror.at('a.md'), 'b')), 'INVALID_REQUEST read_only_source');
    const other = await TestMirror.open(test.workspace, 'other', 'prn_con00000000000000000000001');
    const foreign = { connectorId: mirror.caller.principalId, written: { 'x.md': 'x' } };
    assert.equal(await outcomeOf(other.sync(foreign)), 'NOT_FOUND');
    const outside = perform(test.workspace, other.caller, mirrorSource, {
      connectorId: other.caller.principalId,
      generation: test.workspace.journal.reader.connectors.byId(other.caller.principalId)?.generation ?? 0,
      written: [],
      moved: [],
      deleted: [mirror.at('a.md')],
      maxDeleted: 1,
      entries: { put: [], remove: [] },
      reached: { sourceVersion: null, isPartial: false, cursor: null },
    });
    assert.equal(await outcomeOf(outside), 'INTERNAL');
    const { leftOut } = await other.sync({ written: { '../docs/upstream/b.md': 'b' } });
    assert.deepEqual(
      leftOut.map(({ reason }) => reason),
      ['bad_name'],
    );
    assert.deepEqual(await pathsOf(), ['a.md']);
  });

  it('leaves the changes of its connector to the source: nobody undoes them here', async () => {
    await mirror.sync({ written: { 'a.md': 'a', 'b.md': 'b' } });
    await mirror.sync({ written: { 'a.md': 'again' }, deleted: ['b.md'] });
    const input = { location: mirror.folder, principalId: mirror.caller.principalId, since: 0 };
    const { result } = await perform(test.workspace, person.caller, previewRevert, input);
    assert.deepEqual(result.steps, []);
    assert.deepEqual([...new Set(result.leftAlone.map(({ reason }) => reason))], ['read_only_source']);
  });

  it('says who wrote each line, also of a document that moved', async () => {
    await mirror.sync({ written: { 'a.md': 'one\ntwo\n' } });
    const { versionId } = await mirror.sync({ written: { 'b.md': 'one\nthree\n' }, moved: { 'a.md': 'b.md' } });
    const { result } = await perform(test.workspace, person.caller, annotateDocument, { location: mirror.at('b.md') });
    assert.equal(result.version.id, versionId);
    assert.equal(result.document.current.author.id, mirror.caller.principalId);
  });

  it('is refused whole where the quota has no room, and nothing of what was read stays', async () => {
    await mirror.sync({ written: { 'a.md': 'a' } });
    await perform(test.workspace, operator, changePolicy, { storageQuota: 1024 * 1024 });
    await test.workspace.checkpointer.run();
    const packs = await test.workspace.repository.packs();
    const large = Object.fromEntries(['b', 'c', 'd'].map((name) => [name, name.repeat(600_000)]));
    assert.equal(await outcomeOf(mirror.sync({ written: large })), 'INVALID_REQUEST storage_quota');
    assert.deepEqual(await pathsOf(), ['a.md']);
    await test.workspace.checkpointer.run();
    assert.deepEqual(await test.workspace.repository.packs(), packs);
    assert.deepEqual(test.workspace.journal.reader.objects.stagedPacks(), []);
  });

  const pathsOf = async (): Promise<string[]> => [...(await readMirror(mirror)).keys()].toSorted();
});
