import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { GitSettings } from '../../../lib/connectors/git/git-settings.js';
import { parseSshAddress } from '../../../lib/connectors/git/ssh-address.js';
import { SyncingService } from '../../support/connectors/syncing-service.js';
import { incompressible, gather } from '../../support/git/fixture.js';
import { hasSshServer, SshServer } from '../../support/git/ssh-server.js';
import type { Upstream } from '../../support/git/upstream.js';
import { skipBecause } from '../../support/skip.js';
import { Follower } from '../follow.js';
import { faultOf, GitBench, never } from './open-repository.js';

describe('a git repository behind ssh', () => {
  const bench = new GitBench();
  let server: SshServer;
  let upstream: Upstream;
  let settings: GitSettings;

  before(function () {
    if (!hasSshServer) skipBecause(this, 'OpenSSH has no server here (Debian: openssh-server).');
  });
  beforeEach(() => open(true));
  afterEach(async () => {
    await server.close();
    await bench.close();
  });

  for (const passesVersion of [true, false]) {
    it(`is mirrored and followed, where the server ${passesVersion ? 'speaks the newer' : 'speaks only the older'} protocol`, async () => {
      await server.close();
      await bench.close();
      await open(passesVersion);
      const empty = await bench.source(opening());
      assert.equal(await empty.check(never), 'The repository is empty.');
      const bytes = (await gather(incompressible(1_000_000))).toString('latin1');
      await upstream.commit({ 'a.md': 'a', 'large.txt': Buffer.from(bytes, 'utf8') });
      assert.deepEqual((await bench.mirror(opening())).files, { 'a.md': 'a', 'large.txt': bytes });
      for (let round = 0; round < 2; round += 1) {
        await upstream.commit({ [`b${round}.md`]: 'b' });
        const source = await bench.source(opening());
        const follower = new Follower();
        await follower.follow(source, never);
        assert.equal(follower.files.size, 3 + round);
        assert.equal(await source.probe(follower.cursor ?? '', never), 'unchanged');
      }
      assert.match(await bench.faultOf(opening({ branch: 'none' })), /^not_found: The repository has no branch/);
    });
  }

  it('is connected and synced by a service', async () => {
    await upstream.commit({ 'a.md': 'one\n' });
    const service = await SyncingService.open(() => Promise.resolve([server.host]));
    try {
      const id = await service.connect({ kind: 'git', settings: { ...settings }, secret: server.key });
      assert.deepEqual(await service.texts(), { 'docs/a.md': 'one\n' });
      assert.equal((await service.sync(id)).outcome, 'unchanged');
      await upstream.commit({ 'b.md': 'two\n' });
      assert.equal((await service.sync(id)).outcome, 'changed');
      assert.deepEqual(await service.texts(), { 'docs/a.md': 'one\n', 'docs/b.md': 'two\n' });
    } finally {
      await service.close();
    }
  });

  it('takes a private key as people paste it', async () => {
    await upstream.commit({ 'a.md': 'a' });
    for (const secret of [server.key.trim(), `\n${server.key}\n\n`, server.key.replaceAll('\n', '\r\n')])
      assert.deepEqual((await bench.mirror({ ...opening(), secret })).files, { 'a.md': 'a' });
  });

  it('is left when the key is not accepted, not readable, or not given', async () => {
    await upstream.commit({ 'a.md': 'a' });
    for (const secret of [server.strangersKey, 'a password']) {
      const fault = await bench.faultOf({ ...opening(), secret });
      assert.match(fault, /^auth: The server does not accept/);
      assert.ok(!fault.includes(secret));
    }
    const cut = server.key.replace(/[A-Za-z0-9+/]{60}\n/, '');
    assert.match(await bench.faultOf({ ...opening(), secret: cut }), /^auth: The private key is not readable/);
    const { secret: _, ...without } = opening();
    assert.match(await bench.faultOf(without), /^auth: /);
  });

  it('is spoken to only with the key that was given for it, and shows which one it has', async () => {
    await upstream.commit({ 'a.md': 'a' });
    const key = server.hostKey.split(' ').slice(0, 2).join(' ');
    const { host_key: _, ...unpinned } = settings;
    const fault = await bench.faultOf({ ...opening(), settings: unpinned });
    assert.ok(fault.startsWith(`auth: The server shows the key "${key}". `), fault);
    const other = await SshServer.open(await bench.folders.make());
    assert.match(await bench.faultOf(opening({ host_key: other.hostKey })), /^auth: The server shows another key/);
    await other.close();
    assert.match(
      await bench.faultOf(opening({ host_key: 'ssh-ed25519 AAAA' })),
      /^auth: The key of the server is not readable/,
    );
    assert.deepEqual((await bench.mirror(opening({ host_key: `[127.0.0.1]:22 ${key} a comment` }))).files, {
      'a.md': 'a',
    });
  });

  it('is not there where the server has none, and runs nothing that a path says', async () => {
    for (const path of ['/nowhere.git', `${bench.at('x')}'; echo 0000; '`])
      assert.match(
        await bench.faultOf(opening({ url: server.url(encodeURI(path)) })),
        /^not_found: The server shows no/,
      );
  });

  it('is a fault of the network when it goes away between two questions', async () => {
    await upstream.commit({ 'a.md': 'a' });
    const source = await bench.source(opening());
    assert.match(await source.check(never), /^Branch "main"/);
    await server.close();
    assert.match(await faultOf(() => source.list(null, never)), /^network: /);
  });

  it('is reached only where the operator allows it, and left when it says nothing', async () => {
    assert.match(await bench.faultOf({ ...opening(), hosts: [] }), /^denied_egress: /);
    const silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const source = await bench.source({
      settings: { url: `ssh://${host}/a` },
      hosts: [host],
      limits: { lookTime: 200 },
    });
    assert.match(await faultOf(() => source.check(never)), /^network: /);
    await source.close();
    silent.close();
  });

  const opening = (change: Partial<GitSettings> = {}) => ({
    settings: { ...settings, ...change },
    secret: server.key,
    hosts: [server.host],
  });

  async function open(passesVersion: boolean): Promise<void> {
    await bench.open();
    server = await SshServer.open(await bench.folders.make(), passesVersion);
    upstream = bench.upstream("it's notes.git");
    const url = server.url(encodeURI(bench.at("it's notes.git")));
    settings = { url, host_key: server.hostKey };
  }
});

describe('the address of a git repository behind ssh', () => {
  it('the address of an ssh repository is parsed as git parses it', () => {
    assert.deepEqual(read('ssh://git@example.org:2222/team/a%20b.git'), ['example.org', 2222, 'git', '/team/a b.git']);
    assert.deepEqual(read('ssh://example.org/a'), ['example.org', 22, 'git', '/a']);
    assert.deepEqual(read('ada@example.org:team/notes.git'), ['example.org', 22, 'ada', 'team/notes.git']);
    assert.deepEqual(read('example.org:notes'), ['example.org', 22, 'git', 'notes']);
    for (const other of ['https://example.org/a', 'http://example.org:80/a', './a:b', 'notes'])
      assert.equal(read(other), undefined);
    for (const wrong of ['ssh://example.org', 'ssh://example.org/', 'ssh://a:b@example.org/x', 'ssh://h/%ff', 'h:a\nb'])
      assert.throws(() => read(wrong), /^SourceFault: /, wrong);
  });

  const read = (url: string): unknown => {
    const { host, port, username, path } = parseSshAddress({ url }) ?? {};
    return host === undefined ? undefined : [host, port, username, path];
  };
});
