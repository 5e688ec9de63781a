import assert from 'node:assert/strict';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('restoring, undeleting and reverting over REST', () => {
  let service: TestServer;
  let server: TestServer;
  let ada: HttpClient;
  let rita: HttpClient;

  before(async () => {
    service = await openTestServer();
  });
  beforeEach(async () => {
    server = await service.addWorkspace();
    ada = await server.person('approver', '', 'Ada');
    rita = await server.person('reader', 'team', 'Rita');
  });
  after(() => service.close());

  describe('a restore', () => {
    it('writes an older version again, above all later ones', async () => {
      const first = await ada.create('team/a.md', 'one');
      const second = await ada.put('/v1/documents/team/a.md', { content: 'two' });
      const body = { location: 'team/a.md', version: first.json.version.id, message: 'Back' };
      const restored = await ada.post('/v1/restores', body, { 'If-Match': second.etag });
      assert.deepEqual([restored.status, restored.json.version.message], [200, 'Back'], restored.text);
      assert.equal(restored.etag, `"${restored.json.version.id}"`);
      const now = await rita.get('/v1/documents/team/a.md');
      assert.deepEqual([now.json.content, now.etag], ['one', restored.etag]);
      const history = await rita.get('/v1/history?location=team/a.md');
      assert.deepEqual(
        history.json.items.map(({ operation }: { operation: string }) => operation),
        ['restore', 'update', 'create'],
      );
    });

    it('is refused against anything but the newest version, and where another has a claim', async () => {
      const first = await ada.create('team/a.md', 'one');
      await ada.put('/v1/documents/team/a.md', { content: 'two' });
      const body = { location: 'team/a.md', version: first.json.version.id };
      const stale = await ada.post('/v1/restores', body, { 'If-Match': first.etag });
      assert.equal(stale.refusal, 'CONFLICT stale_if_match');
      const ben = await server.person('editor', 'team', 'Ben');
      await ben.post('/v1/claims', { location: 'team/a.md' });
      assert.equal((await ada.post('/v1/restores', body)).refusal, 'CONFLICT claimed');
    });

    it('knows the versions of this document only, and editors alone', async () => {
      await ada.create('team/a.md', 'one');
      const other = (await ada.create('team/b.md', 'two')).json.version.id as string;
      const restore = (who: HttpClient, location: string, version = other): ReturnType<HttpClient['post']> =>
        who.post('/v1/restores', { location, version });
      assert.equal((await restore(ada, 'team/a.md')).refusal, 'NOT_FOUND');
      assert.equal((await restore(rita, 'team/b.md')).refusal, 'NOT_FOUND');
      assert.equal((await restore(ada, 'team/b.md', 'x')).refusal, 'INVALID_REQUEST bad_field');
      assert.equal((await restore(ada, 'team/../b.md')).refusal, 'INVALID_REQUEST bad_location');
    });
  });

  describe('a folder', () => {
    beforeEach(async () => {
      for (const name of ['a.md', 'sub/b.md', 'sub/c.md']) await ada.create(`team/plans/${name}`, name);
    });

    it('is deleted with everything in it, and comes back with it', async () => {
      const { head } = server;
      const gone = await ada.post('/v1/folder-deletions', { location: 'team/plans' });
      assert.deepEqual(
        [gone.status, gone.json.location, gone.json.deleted, gone.json.documents],
        [200, 'team/plans', true, 3],
      );
      assert.notEqual(server.head, head);
      assert.equal((await rita.get('/v1/documents/team/plans/sub/b.md')).refusal, 'NOT_FOUND');
      const back = await ada.post('/v1/folder-undeletes', { location: 'team/plans' });
      assert.deepEqual(back.json, {
        location: 'team/plans',
        documents: 3,
        left_alone: { location_occupied: 0, read_only_source: 0, claimed: 0 },
        version_id: back.json.version_id,
      });
      const read = await rita.get('/v1/documents/team/plans/sub/b.md');
      assert.deepEqual([read.json.content, read.etag], ['sub/b.md', `"${back.json.version_id}"`]);
      assert.equal((await ada.post('/v1/folder-undeletes', { location: 'team/plans' })).refusal, 'NOT_FOUND');
    });

    it('reports how much stayed deleted and why, and keeps no name of that for a retry', async () => {
      await ada.post('/v1/folder-deletions', { location: 'team/plans' });
      await ada.create('team/plans/sub/b.md', 'new');
      const once = { 'Idempotency-Key': 'once' };
      const back = await ada.post('/v1/folder-undeletes', { location: 'team/plans' }, once);
      assert.deepEqual([back.json.documents, back.json.left_alone.location_occupied], [2, 1]);
      const again = await ada.post('/v1/folder-undeletes', { location: 'team/plans' }, once);
      assert.deepEqual([again.json, again.headers['idempotent-replayed']], [back.json, 'true']);
      const { idempotency, principals } = server.host.workspace.journal.reader;
      const kept = principals.list().flatMap(({ id }) => idempotency.find(id, 'folder.undelete', 'once') ?? []);
      assert.equal(kept.length, 1);
      assert.ok(!kept[0]?.result.includes('b.md'));
    });

    it('is not deleted over a claim, nor by a reader, nor is the workspace itself', async () => {
      const ben = await server.person('editor', 'team', 'Ben');
      await ben.post('/v1/claims', { location: 'team/plans/sub/c.md' });
      const drop = (who: HttpClient, location: string): ReturnType<HttpClient['post']> =>
        who.post('/v1/folder-deletions', { location });
      assert.equal((await drop(ada, 'team/plans')).refusal, 'CONFLICT claimed');
      assert.equal((await drop(rita, 'team/plans')).refusal, 'NOT_FOUND');
      assert.equal((await drop(ada, 'team/none')).refusal, 'NOT_FOUND');
      assert.match((await drop(ada, '')).refusal, /^INVALID_REQUEST/);
      assert.equal((await rita.get('/v1/documents/team/plans/a.md')).status, 200);
    });

    it('is undeleted only by those who may write there', async () => {
      await ada.post('/v1/folder-deletions', { location: 'team/plans' });
      const { head } = server;
      assert.equal((await rita.post('/v1/folder-undeletes', { location: 'team/plans' })).refusal, 'NOT_FOUND');
      assert.equal(server.head, head);
    });
  });

  describe('breaking a claim', () => {
    it('ends it for its holder, by an approver alone', async () => {
      await ada.create('team/a.md', 'text');
      const ben = await server.person('editor', 'team', 'Ben');
      const { id } = (await ben.post('/v1/claims', { location: 'team/a.md' })).json as { id: string };
      const end = (who: HttpClient, claim = id, location = 'team/a.md'): ReturnType<HttpClient['post']> =>
        who.post('/v1/claim-breaks', { location, id: claim });
      assert.equal((await end(ben)).refusal, 'NOT_FOUND');
      assert.equal((await end(ada, 'clm_none')).refusal, 'NOT_FOUND');
      await ada.create('team/b.md', 'text');
      assert.equal((await end(ada, id, 'team/b.md')).refusal, 'NOT_FOUND');
      const broken = await end(ada);
      assert.deepEqual([broken.json.broken, broken.json.id, broken.json.holder.display_name], [true, id, 'Ben']);
      assert.deepEqual((await rita.get('/v1/claims?location=team/a.md')).json.items, []);
      assert.equal((await ada.put('/v1/documents/team/a.md', { content: 'mine' })).status, 200);
      assert.equal((await end(ada)).refusal, 'NOT_FOUND');
      const { record } = server.records().findLast((each) => each.record.action === 'claim.break') ?? assert.fail();
      assert.equal(record.outcome, 'refused');
    });
  });

  describe('reverting one principal’s changes', () => {
    let wild: HttpClient;
    let whose: { readonly location: string; readonly principal_id: string; readonly since: string };

    beforeEach(async () => {
      await ada.create('team/edited.md', 'good');
      await ada.create('team/kept.md', 'kept');
      await ada.create('team/shared.md', 'good');
      server.host.clock.advance(60_000);
      const { id, key } = await server.host.person('editor', 'team', 'Wild');
      wild = server.as(key);
      whose = { location: 'team', principal_id: id, since: since() };
      await wild.put('/v1/documents/team/edited.md', { content: 'bad' });
      await wild.create('team/new/made.md', 'junk');
      await wild.delete('/v1/documents/team/kept.md');
      await wild.put('/v1/documents/team/shared.md', { content: 'bad' });
      await ada.put('/v1/documents/team/shared.md', { content: 'built on it' });
    });

    it('is shown first, page by page, and done as it was shown, by one change', async () => {
      const first = await look(ada, '&limit=2');
      const second = await look(ada, `&limit=2&cursor=${first.json.next_cursor}`);
      assert.deepEqual([second.json.preview, second.json.next_cursor], [first.json.preview, null]);
      assert.deepEqual(
        [...first.json.items, ...second.json.items].map(({ action, location, reason }) => [action, location, reason]),
        [
          ['restore', 'team/edited.md', null],
          ['delete', 'team/new/made.md', null],
          ['undelete', 'team/kept.md', null],
          ['none', 'team/shared.md', 'later_writes'],
        ],
      );
      const done = await undo(ada, first.json.preview, { message: 'Wild went wild' });
      assert.deepEqual(done.json, {
        ...whose,
        done_at: done.json.done_at,
        documents: 3,
        left_alone: { later_writes: 1, relocated: 0, location_occupied: 0, read_only_source: 0, claimed: 0 },
        version_id: done.json.version_id,
      });
      const read = await rita.get('/v1/documents/team/edited.md');
      assert.deepEqual([read.json.content, read.etag], ['good', `"${done.json.version_id}"`]);
      assert.equal(read.json.version.message, 'Wild went wild');
      assert.equal((await rita.get('/v1/documents/team/new/made.md')).refusal, 'NOT_FOUND');
      assert.equal((await rita.get('/v1/documents/team/kept.md')).json.content, 'kept');
      assert.equal((await rita.get('/v1/documents/team/shared.md')).json.content, 'built on it');
      const { record } = server.records().findLast((each) => each.record.action === 'folder.revert') ?? assert.fail();
      assert.equal(record.outcome, 'done');
    });

    it('keeps no name of a document for a retry, which has no second effect', async () => {
      const { preview } = (await look(ada)).json as { preview: string };
      const once = { 'Idempotency-Key': 'once' };
      const done = await ada.post('/v1/reverts', { ...whose, preview }, once);
      const { head } = server;
      const again = await ada.post('/v1/reverts', { ...whose, preview }, once);
      assert.deepEqual([again.json, again.headers['idempotent-replayed'], server.head], [done.json, 'true', head]);
      const { idempotency, principals } = server.host.workspace.journal.reader;
      const kept = principals.list().flatMap(({ id }) => idempotency.find(id, 'folder.revert', 'once') ?? []);
      assert.equal(kept.length, 1);
      assert.ok(!kept[0]?.result.includes('.md'));
    });

    it('is not done, nor its pages continued, when it has changed since', async () => {
      const first = await look(ada, '&limit=1');
      await wild.create('team/another.md');
      const { head } = server;
      assert.equal((await undo(ada, first.json.preview)).refusal, 'CONFLICT preview_changed');
      const next = await look(ada, `&limit=1&cursor=${first.json.next_cursor}`);
      assert.equal(next.refusal, 'CONFLICT preview_changed');
      assert.equal(server.head, head);
    });

    it('is for editors of the whole folder: a grant on a document of that name reveals nothing', async () => {
      const { preview } = (await look(ada)).json as { preview: string };
      for (const who of [rita, await server.person('editor', 'team/new', 'Ned')]) {
        assert.equal((await look(who)).refusal, 'NOT_FOUND');
        assert.equal((await undo(who, preview)).refusal, 'NOT_FOUND');
      }
      // One folder was deleted there, and one document; another lives there now, which Eve may edit.
      await wild.create('team/thing/in-it.md');
      await wild.post('/v1/folder-deletions', { location: 'team/thing' });
      await wild.create('team/thing');
      await wild.delete('/v1/documents/team/thing');
      await ada.create('team/thing');
      const eve = await server.host.person('reader', 'elsewhere', 'Eve');
      await server.host.grant('editor', { type: 'principal', id: eve.id }, 'team/thing', 'document');
      const client = server.as(eve.key);
      assert.equal((await client.put('/v1/documents/team/thing', { content: 'hers' })).status, 200);
      whose = { ...whose, location: 'team/thing' };
      assert.equal((await look(client)).refusal, 'NOT_FOUND');
      assert.equal((await client.post('/v1/folder-undeletes', { location: 'team/thing' })).refusal, 'NOT_FOUND');
      assert.equal((await look(ada)).status, 200);
    });

    it('takes a past time, a place, and a cursor of its own, and refuses all else with its reason', async () => {
      const ask = (more: object): ReturnType<HttpClient['get']> =>
        ada.get(`/v1/reverts?${new URLSearchParams({ ...whose, ...more }).toString()}`);
      for (const bad of ['', 'yesterday', '2h', '2026-02-30T00:00:00Z', '9999-01-01T00:00:00Z', '2026-01-01']) {
        assert.equal((await ask({ since: bad })).refusal, 'INVALID_REQUEST bad_field', bad);
      }
      assert.equal((await ask({ location: 'team/../x' })).refusal, 'INVALID_REQUEST bad_location');
      assert.equal((await ask({ cursor: 'x' })).refusal, 'INVALID_REQUEST bad_cursor');
      assert.equal((await ada.get('/v1/reverts?location=team')).refusal, 'INVALID_REQUEST missing_field');
      assert.equal((await undo(ada, 'x')).refusal, 'INVALID_REQUEST bad_field');
      assert.deepEqual((await ask({ principal_id: "prn_' OR 1=1 --" })).json.items, []);
      const { json } = await ask({ location: '' });
      assert.equal(json.items.length, 4);
    });

    const since = (): string => new Date(server.host.clock.now()).toISOString();

    const look = (who: HttpClient, more = ''): ReturnType<HttpClient['get']> =>
      who.get(`/v1/reverts?${new URLSearchParams(whose).toString()}${more}`);

    const undo = (who: HttpClient, preview: unknown, more: object = {}): ReturnType<HttpClient['post']> =>
      who.post('/v1/reverts', { ...whose, preview, ...more });
  });
});
