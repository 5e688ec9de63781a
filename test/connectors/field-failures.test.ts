import assert from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootLocation } from '../../lib/domain/location.js';
import { approveChange, resumeConnector } from '../../lib/operations/connectors/steer-connector.js';
import { rotateConnectorSecret } from '../../lib/operations/connectors/change-connector.js';
import { listSkippedFiles } from '../../lib/operations/connectors/list-connectors.js';
import { listTrash } from '../../lib/operations/documents/list-trash.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { SyncingService } from '../support/connectors/syncing-service.js';
import { ScriptedServer } from '../support/connectors/scripted-server.js';
import { GitServer } from '../support/git/git-server.js';
import { makeUpstream, type Upstream } from '../support/git/upstream.js';
import { Client } from '../support/store/client.js';
import { operator } from '../support/store/service.js';

/** What users of other connectors reported: each of these kept a mirror wrong without a word. */
describe('What goes wrong with mirrors in the field', function () {
  this.timeout(40_000);
  let service: SyncingService;
  let server: GitServer;
  let upstream: Upstream;

  beforeEach(async () => {
    service = await SyncingService.open(async (outside) => {
      server = await GitServer.open(outside);
      upstream = makeUpstream(outside, 'notes.git');
      return [server.host];
    });
  });
  afterEach(async () => {
    await service.close();
    await server.close();
  });

  describe('deleted at the source and still served', () => {
    it('is gone from reads, lists and searches after the next sync, of a repository', async () => {
      await upstream.commit({ 'a.md': 'an albatross\n', 'b.md': 'a bittern\n' });
      const id = await connectGit();
      assert.deepEqual(await find('bittern'), ['docs/b.md']);
      await upstream.commit({ 'b.md': null });
      assert.equal((await service.sync(id)).outcome, 'changed');
      assert.equal(await service.read('docs/b.md'), undefined);
      assert.deepEqual(await service.texts(), { 'docs/a.md': 'an albatross\n' });
      assert.deepEqual(await find('bittern'), []);
    });

    it('and of a folder, also where all that a subfolder held is gone', async () => {
      const path = join(service.outside, 'shared');
      await mkdir(join(path, 'old'), { recursive: true });
      await writeFile(join(path, 'a.md'), 'stays\n');
      await writeFile(join(path, 'old', 'b.md'), 'goes\n');
      const id = await service.connect({ kind: 'folder', settings: { path } });
      await rm(join(path, 'old'), { recursive: true });
      await service.sync(id);
      assert.deepEqual(await service.texts(), { 'docs/a.md': 'stays\n' });
    });
  });

  describe('trashed items listed as live', () => {
    it('come to the trash here, where no person can bring them back against the source', async () => {
      await upstream.commit({ 'a.md': 'stays\n', 'b.md': 'goes\n' });
      const id = await connectGit();
      await upstream.commit({ 'b.md': null });
      await service.sync(id);
      const trash = { folder: null, after: '', limit: 10 };
      const { result } = await perform(service.workspace, operator, listTrash, trash);
      assert.deepEqual(
        result.items.map(({ location, readOnly }) => [location, readOnly]),
        [['docs/b.md', true]],
      );
      const ada = new Client(service.workspace, (await service.test.person('approver')).id);
      await assert.rejects(ada.undelete('docs/b.md'), /read-only here/);
      assert.equal(await service.read('docs/b.md'), undefined);
      await upstream.commit({ 'b.md': 'back\n' });
      await service.sync(id);
      assert.equal(await service.read('docs/b.md'), 'back\n');
    });
  });

  describe('one unreadable file killing a run', () => {
    it('is named and tried again, and all others are mirrored', async () => {
      const files: Record<string, string | number> = { 'a.md': 'one', 'b.md': 500, 'c.md': 'three' };
      const drive = await ScriptedServer.open((request, response) => {
        if (request.method === 'PROPFIND')
          response.writeHead(207, { 'content-type': 'application/xml' }).end(listing(files));
        else {
          const content = files[(request.url ?? '').slice('/dav/'.length)] ?? 404;
          if (typeof content === 'number') response.writeHead(content).end();
          else response.writeHead(200, { etag: `"${content}"`, 'content-length': content.length }).end(content);
        }
      });
      try {
        service.allowedHosts.push(drive.host);
        const id = await service.connect({ kind: 'webdav', settings: { url: drive.url('/dav/').href } });
        const first = await service.shown(id);
        assert.deepEqual([first.state, first.lastRun?.outcome], ['active', 'partial']);
        assert.deepEqual(await service.texts(), { 'docs/a.md': 'one', 'docs/c.md': 'three' });
        const input = { connectorId: id, after: '', limit: 10 };
        const { result } = await perform(service.workspace, operator, listSkippedFiles, input);
        assert.deepEqual(
          result.items.map(({ path, reason }) => [path, reason]),
          [['b.md', 'unreadable']],
        );
        files['b.md'] = 'two';
        assert.equal((await service.sync(id)).outcome, 'changed');
        assert.equal(await service.read('docs/b.md'), 'two');
      } finally {
        await drive.close();
      }
    });
  });

  describe('success reported though it failed', () => {
    it('a sync that breaks off says so, moves no date, and changes nothing', async () => {
      await upstream.commit({ 'a.md': 'one\n' });
      const id = await connectGit();
      const { syncedAt, sourceVersion } = await service.shown(id);
      const before = service.commits;
      await upstream.commit({ 'a.md': 'two\n', 'b.md': 'new\n' });
      server.intrusion = (request, response) => {
        if (request.method !== 'POST') return false;
        response.destroy();
        return true;
      };
      service.clock.advance(60_000);
      const run = await service.sync(id);
      assert.equal(run.outcome, 'failed');
      assert.equal(run.fault, 'network');
      assert.ok((run.message ?? '') !== '');
      const now = await service.shown(id);
      assert.deepEqual([now.syncedAt, now.sourceVersion, now.failures], [syncedAt, sourceVersion, 1]);
      assert.equal(now.nextRunAt, service.clock.now() + 60_000);
      assert.deepEqual([await service.texts(), service.commits], [{ 'docs/a.md': 'one\n' }, before]);
      server.intrusion = undefined;
      assert.equal((await service.sync(id)).outcome, 'changed');
      assert.deepEqual(await service.texts(), { 'docs/a.md': 'two\n', 'docs/b.md': 'new\n' });
    });
  });

  describe('a pause that nobody is told of', () => {
    it('a connector that stops says why to those who manage it, and to the log, until it is mended', async () => {
      await upstream.commit({ 'a.md': 'one\n' });
      server.credentials = { username: 'git', password: 'first' };
      const id = await service.connect({ kind: 'git', settings: { url: server.url('notes.git') }, secret: 'first' });
      server.credentials = { username: 'git', password: 'second' };
      await service.sync(id);
      const [listed] = await service.listed();
      assert.deepEqual([listed?.state, listed?.lastRun?.fault, listed?.nextRunAt], ['stopped', 'auth', null]);
      assert.ok((listed?.stateReason ?? '').length > 20);
      assert.ok(service.log.some((line) => JSON.stringify(line).includes('A connector has stopped')));
      await perform(service.workspace, operator, rotateConnectorSecret, { connectorId: id, secret: 'second' });
      const run = await service.ended(id, (listed?.lastRun?.number ?? 0) + 1);
      assert.equal(run.outcome, 'unchanged');
      assert.deepEqual([(await service.shown(id)).state, (await service.shown(id)).stateReason], ['active', null]);
    });

    it('a change that waits for an approval says so, and serves what was there until then', async () => {
      await upstream.commit({ 'a.md': 'one\n', 'b.md': 'two\n' });
      const id = await connectGit();
      await upstream.commit({ 'a.md': null, 'b.md': null });
      assert.equal((await service.sync(id)).outcome, 'held');
      const [listed] = await service.listed();
      assert.equal(listed?.state, 'held');
      assert.match(listed.stateReason ?? '', /All 2 mirrored documents/);
      assert.deepEqual(Object.keys(await service.texts()), ['docs/a.md', 'docs/b.md']);
      const approval = { connectorId: id, fingerprint: listed.held ?? '' };
      await perform(service.workspace, operator, approveChange, approval);
      await service.ended(id, (listed.lastRun?.number ?? 0) + 1);
      assert.deepEqual(await service.texts(), {});
    });
  });

  describe('a cursor kept in memory only', () => {
    it('is kept through a restart: the next run fetches nothing and commits nothing', async () => {
      await upstream.commit({ 'a.md': 'one\n' });
      const id = await connectGit();
      const before = service.commits;
      await service.restart();
      server.requests.length = 0;
      assert.equal((await service.sync(id)).outcome, 'unchanged');
      assert.equal(service.commits, before);
      const contents = server.requests.filter(({ method, body }) => method === 'POST' && body > 500);
      assert.deepEqual(contents, []);
      await upstream.commit({ 'b.md': 'two\n' });
      await service.restart();
      await service.sync(id);
      assert.deepEqual(Object.keys(await service.texts()), ['docs/a.md', 'docs/b.md']);
    });
  });

  describe('an expired delta', () => {
    it('is no end: where the last state is gone from the source and from here, everything is listed again', async () => {
      await upstream.commit({ 'a.md': 'one\n', 'b.md': 'two\n' });
      const id = await connectGit();
      await upstream.replaceHistory({ 'a.md': 'one\n', 'c.md': 'three\n' });
      upstream.git('reflog', 'expire', '--expire=now', '--all');
      upstream.git('gc', '--quiet', '--prune=now');
      await rm(join(service.dataFolder, 'acme', 'sources'), { recursive: true });
      assert.equal((await service.sync(id)).outcome, 'changed');
      assert.deepEqual(await service.texts(), { 'docs/a.md': 'one\n', 'docs/c.md': 'three\n' });
    });
  });

  describe('a force-push', () => {
    it('is followed like any change: what both histories hold keeps its id and its comments', async () => {
      await upstream.commit({ 'a.md': 'one\n', 'b.md': 'two\n', 'c.md': 'three\n' });
      const id = await connectGit();
      const ada = new Client(service.workspace, (await service.test.person('approver')).id);
      await ada.comment('docs/a.md', 'Stays.');
      const before = service.commits;
      await upstream.replaceHistory({ 'a.md': 'one\n', 'b.md': 'other\n' });
      const run = await service.sync(id);
      assert.deepEqual([run.outcome, run.counts.updated, run.counts.deleted, run.counts.created], ['changed', 1, 1, 0]);
      assert.equal(service.commits, before + 1);
      assert.deepEqual(await service.texts(), { 'docs/a.md': 'one\n', 'docs/b.md': 'other\n' });
      assert.deepEqual(await ada.remarks('docs/a.md'), ['Stays.']);
    });
  });

  describe('a 404 remembered for ever', () => {
    it('a source that was away is mirrored again as soon as a sync is requested', async () => {
      await upstream.commit({ 'a.md': 'one\n' });
      const id = await connectGit();
      await rename(upstream.path, `${upstream.path}.away`);
      await service.sync(id);
      const stopped = await service.shown(id);
      assert.deepEqual([stopped.state, stopped.lastRun?.fault], ['stopped', 'not_found']);
      assert.equal(await service.read('docs/a.md'), 'one\n');
      await rename(`${upstream.path}.away`, upstream.path);
      await upstream.commit({ 'b.md': 'two\n' });
      await perform(service.workspace, operator, resumeConnector, { connectorId: id });
      await service.ended(id, (stopped.lastRun?.number ?? 0) + 1);
      assert.deepEqual(Object.keys(await service.texts()), ['docs/a.md', 'docs/b.md']);
    });
  });

  const connectGit = (): Promise<string> =>
    service.connect({ kind: 'git', settings: { url: server.url('notes.git') } });

  async function find(query: string): Promise<string[]> {
    const input = { query, location: rootLocation, labels: [], limit: 20, position: null };
    const { result } = await perform(service.workspace, operator, searchDocuments, input);
    return result.hits.map(({ document }) => document.location);
  }
});

/** The top folder of a drive, with an entity tag for each file. */
function listing(files: Readonly<Record<string, string | number>>): string {
  const entry = (name: string, properties: string): string =>
    `<d:response><d:href>/dav/${name}</d:href><d:propstat><d:prop>${properties}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
  const entries = Object.entries(files).map(([name, content]) =>
    entry(
      name,
      `<d:resourcetype/><d:getetag>"${content}"</d:getetag>${typeof content === 'string' ? `<d:getcontentlength>${content.length}</d:getcontentlength>` : ''}`,
    ),
  );
  const own = entry('', '<d:resourcetype><d:collection/></d:resourcetype>');
  return `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${own}${entries.join('')}</d:multistatus>`;
}
