import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { decodeEvent } from '../../lib/history/event-codec.js';
import { parseCommitMessage } from '../../lib/history/trailers.js';
import { addComment } from '../../lib/operations/comments/add-comment.js';
import { exportAudit } from '../../lib/operations/audit/audit-log.js';
import { listComments } from '../../lib/operations/comments/list-comments.js';
import { addLabels } from '../../lib/operations/documents/change-labels.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import { listHistory } from '../../lib/operations/history/list-history.js';
import { readBrief } from '../../lib/operations/history/read-brief.js';
import { perform } from '../../lib/operations/perform.js';
import { gather } from '../support/gather.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { Clone } from '../support/store/clone.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

describe('A push', () => {
  let test: TestService;
  let ada: Actor;
  let ben: Actor;

  beforeEach(async () => {
    test = await openTestService({ store: 'memory' });
    ada = new Actor(test.workspace, (await test.person('editor', 'team', 'Ada')).id);
    ben = new Actor(test.workspace, (await test.person('approver', '', 'Ben')).id);
    await ben.create('team/a.md', '# A\n\none');
    await ben.create('team/b.md', '# B');
  });
  afterEach(() => test.close());

  it('makes one commit of main from each commit that changes something, and says where every document is now', async () => {
    const clone = await Clone.of(ada);
    const { journal, objects } = test.workspace;
    const { commits } = journal.state;
    const { id = '' } = documentAt('team/a.md') ?? {};
    clone
      .commit({ move: { 'team/a.md': 'team/sub/c.md' }, message: 'Move it' })
      .commit({ write: { 'team/sub/c.md': 'two', 'team/new.png': '\0png', 'team/n.md': 'n' } })
      .commit({})
      .commit({ write: { 'team/b.md': null }, message: 'Drop B' });
    const result = await clone.push();
    assert.equal(journal.state.commits, commits + 3);
    assert.deepEqual(
      result.commits.map(({ versionId }) => versionId === null),
      [false, false, true, false],
    );
    assert.equal(result.commits.at(-1)?.versionId, journal.state.head);
    assert.deepEqual(
      result.documents.map(({ location, sequence }) => [location, sequence]),
      [
        ['team/sub/c.md', 2],
        ['team/new.png', 1],
        ['team/n.md', 1],
        [null, 1],
      ],
    );
    assert.equal(result.documents[0]?.documentId, id);
    const { message } = await objects.readCommit(result.commits[1]?.versionId ?? '');
    const text = parseCommitMessage(message);
    assert.equal(text?.subject, 'Push 3 documents');
    assert.deepEqual(decodeEvent(text ?? { trailers: [] }), {
      type: 'push',
      mediaTypes: { usual: 'text/markdown; charset=utf-8', others: new Map([['team/new.png', 'image/png']]) },
      moved: [],
    });
    assert.deepEqual(await ada.list('team'), ['sub/', 'n.md', 'new.png']);
    assert.equal(await ada.read('team/sub/c.md'), 'two');
  });

  it('keeps the id, the comments, the labels and the grants of a document that it moves', async () => {
    const reader = new Actor(test.workspace, await test.principal('Reader'));
    await test.grant('reader', { type: 'principal', id: reader.caller.principalId }, 'team/a.md', 'document');
    const from = parseLocation('team/a.md');
    await perform(test.workspace, ada.caller, addComment, { location: from, text: 'Which?', mentions: [] });
    await perform(test.workspace, ada.caller, addLabels, { location: from, labels: ['draft'] });
    const clone = await Clone.of(ada);
    await clone.commit({ move: { 'team/a.md': 'team/z.md' }, write: { 'team/z.md': 'changed' } }).push();
    const location = parseLocation('team/z.md');
    const which = { location, after: '', limit: 10, which: 'all' } as const;
    assert.equal((await perform(test.workspace, ada.caller, listComments, which)).result.items.length, 1);
    assert.deepEqual(documentAt('team/z.md')?.labels, ['draft']);
    assert.equal(await reader.read('team/z.md'), 'changed');
    const { result } = await perform(test.workspace, ada.caller, listHistory, { location, after: '', limit: 10 });
    assert.deepEqual(
      result.items.map((entry) => (entry.type === 'deletion' ? entry.type : entry.operation)),
      ['rename', 'push', 'create'],
    );
  });

  it('puts what it deletes into the trash, from which it comes back', async () => {
    const clone = await Clone.of(ada);
    await clone.commit({ write: { 'team/a.md': null } }).push();
    assert.equal(await outcomeOf(ada.read('team/a.md')), 'NOT_FOUND');
    await ada.undelete('team/a.md');
    assert.equal(await ada.read('team/a.md'), '# A\n\none');
  });

  it('is found by searches, and stands in the briefs of others', async () => {
    const location = parseLocation('team');
    test.clock.advance(1000);
    const brief = { location, since: test.clock.now(), keepsMark: true, after: '', limit: 10 };
    test.clock.advance(1000);
    const clone = await Clone.of(ada);
    await clone
      .commit({ move: { 'team/a.md': 'team/q.md' } })
      .commit({ write: { 'team/q.md': 'quokka', 'team/b.md': null } })
      .push();
    const query = { location: parseLocation('team'), labels: [], limit: 10, position: null };
    const found = async (words: string) =>
      (await perform(test.workspace, ada.caller, searchDocuments, { ...query, query: words })).result.hits.map(
        ({ document }) => document.location,
      );
    assert.deepEqual(await found('quokka'), ['team/q.md']);
    assert.deepEqual(await found('one'), []);
    const { result } = await perform(test.workspace, ben.caller, readBrief, brief);
    assert.deepEqual(
      result.changes.map(({ action, location: at, by }) => [action, at, by.map(({ displayName }) => displayName)]),
      [
        ['deleted', 'team/b.md', ['Ada']],
        ['changed', 'team/q.md', ['Ada']],
      ],
    );
  });

  it('swaps two documents by three commits, or by one', async () => {
    const ids = ['team/a.md', 'team/b.md'].map((path) => documentAt(path)?.id);
    const clone = await Clone.of(ada);
    await clone
      .commit({ move: { 'team/a.md': 'team/t' } })
      .commit({ move: { 'team/b.md': 'team/a.md' } })
      .commit({ move: { 'team/t': 'team/b.md' } })
      .push();
    assert.deepEqual(
      ['team/b.md', 'team/a.md'].map((path) => documentAt(path)?.id),
      ids,
    );
    await clone.commit({ move: { 'team/a.md': 'team/b.md', 'team/b.md': 'team/a.md' } }).push();
    assert.deepEqual(
      ['team/a.md', 'team/b.md'].map((path) => documentAt(path)?.id),
      ids,
    );
  });

  it('puts a folder in the place of a file, and a file in the place of a folder', async () => {
    const clone = await Clone.of(ada);
    await clone.commit({ move: { 'team/a.md': 'team/a.md/inner.md' } }).push();
    assert.deepEqual(await ada.list('team'), ['a.md/', 'b.md']);
    await clone.commit({ write: { 'team/a.md/inner.md': null, 'team/a.md': 'a file again' } }).push();
    assert.deepEqual(await ada.list('team'), ['a.md', 'b.md']);
  });

  it('names an author who is not the pusher in the message, which stays as short as any', async () => {
    const clone = await Clone.of(ada);
    const messageOf = (path: string) => documentAt(path)?.current.message;
    const author = { name: 'Grace', email: 'grace@example.org' };
    await clone.commit({ write: { 'team/a.md': '2' }, message: 'Why', author }).push();
    assert.equal(messageOf('team/a.md'), 'Why\n\nAuthor: Grace <grace@example.org>');
    assert.equal(documentAt('team/a.md')?.current.author.id, ada.caller.principalId);
    await clone.commit({ write: { 'team/a.md': '3' }, author }).push();
    assert.equal(messageOf('team/a.md'), 'Author: Grace <grace@example.org>');
    await clone.commit({ write: { 'team/a.md': '4' }, author: { name: 'Ada', email: 'ada@home.example' } }).push();
    assert.equal(messageOf('team/a.md'), null);
    const own = { name: 'ada-laptop', email: `${ada.caller.principalId}@acme` };
    await clone.commit({ write: { 'team/a.md': '5' }, message: 'Mine', author: own }).push();
    assert.equal(messageOf('team/a.md'), 'Mine');
    await clone.commit({ write: { 'team/a.md': '6' }, message: '😀'.repeat(500), author }).push();
    const long = messageOf('team/a.md') ?? '';
    assert.ok(long.length <= 1000 && long.isWellFormed() && long.endsWith('…\n\nAuthor: Grace <grace@example.org>'));
  });

  it('gives a new document the media type of its name, and lets an old one keep its own', async () => {
    const clone = await Clone.of(ada);
    await clone
      .commit({ write: { 'team/c.html': '<p>', 'team/d.png': 'no picture' } })
      .commit({ move: { 'team/a.md': 'team/a.txt' }, write: { 'team/a.txt': '\0binary' } })
      .push();
    assert.equal(documentAt('team/c.html')?.current.mediaType, 'text/html; charset=utf-8');
    assert.equal(documentAt('team/d.png')?.current.mediaType, 'text/plain; charset=utf-8');
    assert.equal(documentAt('team/a.txt')?.current.mediaType, 'text/markdown; charset=utf-8');
    assert.equal(documentAt('team/a.txt')?.current.kind, 'binary');
  });

  it('answers alike when it is sent again, and writes nothing twice', async () => {
    const clone = await Clone.of(ada);
    clone
      .commit({ write: { 'team/a.md': 'two', 'team/c.md': 'c' }, move: { 'team/b.md': 'team/d.md' } })
      .commit({ write: { 'team/c.md': null } });
    const first = await clone.tryPush();
    const { commits } = test.workspace.journal.state;
    // Somebody has gone on from there.
    await ada.move('team/d.md', 'team/later');
    const again = await clone.tryPush();
    assert.equal(again.replayed, true);
    assert.deepEqual(
      [...again.result.documents].toSorted((a, b) => a.documentId.localeCompare(b.documentId)),
      [...first.result.documents].toSorted((a, b) => a.documentId.localeCompare(b.documentId)),
    );
    assert.deepEqual(again.result.commits, first.result.commits);
    assert.equal(test.workspace.journal.state.commits, commits + 1);
    const other = await Clone.of(ada);
    other.commit({ write: { 'team/a.md': 'other' } });
    const key = first.result.commits.at(-1)?.oid;
    assert.equal(await outcomeOf(other.tryPush([], key)), 'CONFLICT idempotency_key_reused');
  });

  it('is recorded with its counts and the version that it made last, and a refusal too', async () => {
    const clone = await Clone.of(ada);
    const { commits } = await clone
      .commit({ write: { 'team/a.md': 'two' } })
      .commit({ write: { 'team/b.md': null } })
      .push();
    await outcomeOf(clone.commit({ write: { 'elsewhere.md': 'x' } }).push());
    const lines = await gather((await perform(test.workspace, operator, exportAudit, { withTexts: true })).result);
    const records = lines.flatMap((line) =>
      'record' in line && line.record.action === 'repository.push' ? [line] : [],
    );
    assert.deepEqual(
      records.map(({ record: { outcome, version } }) => [outcome, version]),
      [
        ['done', commits.at(-1)?.versionId],
        ['refused', null],
      ],
    );
    const [done, refused] = records.map(
      (line) => JSON.parse(('text' in line ? line.text?.detail : null) ?? '{}') as object,
    );
    assert.deepEqual(done, { head: commits.at(-1)?.oid, commits: 2, versions: 2, documents: 2, deleted: 1 });
    const { reason, changes } = refused as { reason?: string; changes?: number };
    assert.deepEqual([reason, changes], ['push_refused', 1]);
  });

  const documentAt = (path: string) => test.workspace.view(ben.caller).document(parseLocation(path));
});
