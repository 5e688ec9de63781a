import assert from 'node:assert/strict';
import { webdavKind } from '../../../lib/connectors/webdav/webdav-kind.js';
import { ForbiddenFile, UnreadableFile, type Source, type SourceFile } from '../../../lib/connectors/source.js';
import { assertFault } from '../../support/connectors/assert-fault.js';
import { TestClock } from '../../support/store/service.js';
import { Follower, meansOf, readWhole } from '../follow.js';
import { describeKind } from '../suite.js';
import { multistatus, response207, ScriptedNextcloud, type Answer } from './scripted-nextcloud.js';

describeKind('webdav, as Nextcloud speaks it', () => ScriptedNextcloud.open(), {
  kind: webdavKind,
  probes: true,
  keepsIds: true,
  keepsVersions: false,
  wrongSecrets: ['wrong', null],
  goneAs: ['network'],
});

describe('a folder of Nextcloud', () => {
  let cloud: ScriptedNextcloud;
  let clock: TestClock;
  let sources: Source[];
  const never = new AbortController().signal;
  const status =
    (code: number, headers: Record<string, string> = {}): Answer =>
    (response) =>
      response.writeHead(code, headers).end('<d:error xmlns:d="DAV:"/>');
  const maintenance = status(503, { 'x-nextcloud-maintenance-mode': '1', 'retry-after': '120' });

  beforeEach(async () => {
    cloud = await ScriptedNextcloud.open();
    clock = new TestClock();
    sources = [];
    for (const path of ['a.md', 'plans/b.md', 'plans/deep/c.md', 'notes/d.md'])
      await cloud.put(path, Buffer.from(path));
  });
  afterEach(async () => {
    for (const source of sources) await source.close();
    await cloud.close();
  });

  it('is listed folder by folder, each once, and never whole at once', async () => {
    const { files } = await listed(await open());
    assert.deepEqual([...files.keys()].sort(), ['a.md', 'notes/d.md', 'plans/b.md', 'plans/deep/c.md']);
    const root = '/remote.php/dav/files/ann/';
    assert.deepEqual(
      cloud.asked.map(({ method, path, headers }) => `${method} ${path} ${String(headers['depth'])}`).sort(),
      [`PROPFIND ${root} 1`, `PROPFIND ${root}notes/ 1`, `PROPFIND ${root}plans/ 1`, `PROPFIND ${root}plans/deep/ 1`],
    );
  });

  it('can be a folder of the account', async () => {
    const source = await open('/plans/');
    const { files } = await listed(source);
    assert.deepEqual([...files.keys()].sort(), ['b.md', 'deep/c.md']);
    assert.equal(await source.check(never), 'Nextcloud or ownCloud. Directly in the folder: 1 file, 1 folder.');
    await assertFault((await open('absent')).check(never), 'not_found', /folder of the source does not exist/);
    for (const work of [async (file: Source): Promise<unknown> => file.check(never), listed])
      await assertFault(open('plans/b.md').then<unknown>(work), 'not_found', /not that of a folder/);
    for (const folder of ['..', 'a/../../bob', '.']) await assertFault(open(folder), 'not_found', /parts such as/);
  });

  it('is not listed when its tag is the one before, for six hours', async () => {
    const { cursor } = await listed(await open());
    assert.ok(cursor !== null);
    const before = cloud.asked.length;
    assert.equal(await (await open()).probe(cursor, never), 'unchanged');
    assert.deepEqual(
      cloud.asked.slice(before).map(({ headers }) => headers['depth']),
      ['0'],
    );
    await cloud.put('plans/deep/c.md', Buffer.from('changed'));
    assert.equal(await (await open()).probe(cursor, never), 'maybe_changed');
    const { cursor: next } = await listed(await open());
    clock.advance(6 * 60 * 60 * 1000);
    assert.equal(await (await open()).probe(next ?? '', never), 'maybe_changed');
    for (const odd of ['', 'x', 'null', '99999999999999 "e1"'])
      assert.equal(await (await open()).probe(odd, never), 'maybe_changed');
  });

  it('keeps what was mirrored from a folder that may not be seen', async () => {
    for (const code of [403, 404, 410, 423, 500, 503]) {
      cloud.answers.set('PROPFIND plans', status(code));
      const { files, unreadable: unseen, cursor } = await listed(await open());
      assert.deepEqual(
        [[...files.keys()].sort(), unseen, cursor],
        [['a.md', 'notes/d.md'], ['plans'], null],
        String(code),
      );
    }
  });

  it('ends the run in maintenance, and says how long to wait', async () => {
    for (const path of ['', 'plans']) {
      cloud.answers.clear();
      cloud.answers.set(`PROPFIND ${path}`, maintenance);
      await assert.rejects(open().then(listed), { fault: 'rate', retryAfter: 120 });
    }
    cloud.answers.clear();
    const source = await open();
    const file = await fileAt(source, 'a.md');
    cloud.answers.set('GET a.md', maintenance);
    await assert.rejects(readWhole(source, file, never), { fault: 'rate', retryAfter: 120 });
    cloud.answers.set('PROPFIND ', status(429, { 'retry-after': 'Mon, 05 Jan 2026 09:00:30 GMT' }));
    await assert.rejects(source.check(never), { fault: 'rate', retryAfter: 30 });
  });

  it('says who can mend it when it cannot be listed', async () => {
    const faults = {
      401: 'auth',
      403: 'auth',
      404: 'not_found',
      405: 'not_found',
      200: 'not_found',
      423: 'network',
      500: 'network',
      507: 'network',
    } as const;
    for (const [code, fault] of Object.entries(faults)) {
      cloud.answers.set('PROPFIND ', status(Number(code)));
      const source = await open();
      await assertFault(source.check(never), fault, /\.$/);
      await assertFault(listed(source), fault, /\.$/);
    }
  });

  it('leaves out one file that cannot be read, and no other', async () => {
    const source = await open();
    const file = await fileAt(source, 'a.md');
    const reasons = {
      403: /may not read/,
      404: /gone/,
      412: /changed/,
      423: /locked/,
      500: /status 500/,
      503: /status 503/,
    };
    for (const [code, why] of Object.entries(reasons)) {
      cloud.answers.set('GET a.md', status(Number(code)));
      await assert.rejects(readWhole(source, file, never), unreadable(why));
    }
    cloud.answers.set('GET a.md', status(403));
    await assert.rejects(readWhole(source, file, never), ForbiddenFile);
    cloud.answers.set('GET a.md', status(401));
    await assertFault(readWhole(source, file, never), 'auth', /refuses/);
  });

  it('ends the run when it fails with every file', async () => {
    const source = await open();
    const file = await fileAt(source, 'a.md');
    cloud.answers.set('GET a.md', status(500));
    for (let failed = 1; failed < 20; failed++) await assert.rejects(readWhole(source, file, never), unreadable(/500/));
    await assertFault(readWhole(source, file, never), 'network', /failed with status 500/);
  });

  it('is read only as it was listed', async () => {
    const source = await open();
    const file = await fileAt(source, 'a.md');
    const send = (content: string, headers: Record<string, string> = {}): void =>
      void cloud.answers.set('GET a.md', (response) => response.writeHead(200, headers).end(content));
    send('long', { etag: '"other"' });
    await assert.rejects(readWhole(source, file, never), unreadable(/changed/));
    send('shorter');
    await assert.rejects(readWhole(source, file, never), unreadable(/7 bytes came instead of 4/));
    send('x'.repeat(5));
    await assert.rejects(
      readWhole(source, file, never, 4),
      (error) => error instanceof UnreadableFile && error.reason === 'too_large',
    );
    assert.equal(cloud.asked.at(-1)?.headers['if-match'], file.version);
  });

  it('leaves out what only the devices of its owner can read', async () => {
    cloud.properties.set('plans', '<nc:is-encrypted>1</nc:is-encrypted>');
    const { files, skipped } = await listed(await open());
    assert.deepEqual([[...files.keys()].sort(), [...skipped]], [['a.md', 'notes/d.md'], [['plans', 'restricted']]]);
  });

  it('lists nothing from its trash, which is elsewhere', async () => {
    await cloud.remove('a.md');
    await cloud.remove('plans/b.md');
    assert.deepEqual([...(await listed(await open())).files.keys()].sort(), ['notes/d.md', 'plans/deep/c.md']);
    assert.ok(cloud.asked.every(({ path }) => path.startsWith('/remote.php/dav/files/ann/')));
  });

  it('that is cut by its server deletes nothing', async () => {
    const root = '/remote.php/dav/files/ann/';
    const folder = '<d:resourcetype><d:collection/></d:resourcetype>';
    const cut = `<d:response><d:href>${root}</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>`;
    cloud.answers.set('PROPFIND ', (response) =>
      response.writeHead(207).end(multistatus([response207(root, folder), cut])),
    );
    await assertFault(open().then(listed), 'limit', /only a part/);
    const gone = `<d:response><d:href>${root}a.md</d:href><d:status>HTTP/1.1 403 Forbidden</d:status></d:response>`;
    cloud.answers.set('PROPFIND ', (response) =>
      response.writeHead(207).end(multistatus([response207(root, folder), gone])),
    );
    assert.deepEqual((await listed(await open())).unreadable, ['a.md']);
  });

  it('without tags tells changes by time and size', async () => {
    cloud.hasTags = false;
    const source = await open();
    const before = await listed(source);
    assert.deepEqual([before.cursor, before.files.get('a.md')?.id], [null, undefined]);
    assert.equal((await readWhole(source, await fileAt(source, 'a.md'), never)).toString(), 'a.md');
    assert.equal(cloud.asked.at(-1)?.headers['if-match'], undefined);
    await cloud.put('a.md', Buffer.from('b.md'));
    const after = await listed(source);
    assert.notEqual(after.files.get('a.md')?.version, before.files.get('a.md')?.version);
    assert.equal(after.files.get('notes/d.md')?.version, before.files.get('notes/d.md')?.version);
  });

  it('without tags is read again where a file was saved in the second of its listing', async () => {
    cloud.hasTags = false;
    cloud.now = Date.UTC(2026, 0, 5, 9, 0, 0, 200);
    await cloud.put('a.md', Buffer.from('one'));
    const source = await open();
    const versionIn = async (): Promise<string | undefined> => {
      clock.advance(1);
      return (await listed(source)).files.get('a.md')?.version;
    };
    const first = await versionIn();
    cloud.now += 300;
    await cloud.put('a.md', Buffer.from('two'));
    const second = await versionIn();
    assert.notEqual(second, first);
    // Later, nothing more can happen in that second.
    cloud.now += 2000;
    const third = await versionIn();
    assert.notEqual(third, second);
    cloud.now += 1000;
    assert.equal(await versionIn(), third);
    // A file of a wrong time, far ahead, is not read in each run.
    cloud.now += 86_400_000;
    await cloud.put('a.md', Buffer.from('tre'));
    cloud.now -= 86_400_000;
    assert.equal(await versionIn(), await versionIn());
  });

  const unreadable = (why: RegExp) => (error: unknown) =>
    error instanceof UnreadableFile && error.reason === 'unreadable' && why.test(error.message);

  async function open(folder?: string): Promise<Source> {
    const settings = { ...cloud.settings, ...(folder === undefined ? {} : { folder }) };
    const source = await webdavKind.open(settings, cloud.secret, { ...meansOf(cloud, '/nonexistent'), clock });
    sources.push(source);
    return source;
  }

  async function listed(source: Source): Promise<Follower> {
    const follower = new Follower();
    await follower.follow(source, never);
    return follower;
  }

  async function fileAt(source: Source, path: string): Promise<SourceFile> {
    const file = (await listed(source)).files.get(path);
    assert.ok(file !== undefined);
    return file;
  }
});
