import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { SourceFault } from '../../../lib/connectors/source.js';
import { putCommit, putObject, putTree } from '../../support/git/put-object.js';
import { Follower } from '../follow.js';
import { GitBench, never } from './open-repository.js';

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d7a'.repeat(16)}\nsize 12345\n`;

describe('a git repository in each of its states', () => {
  const bench = new GitBench();
  beforeEach(() => bench.open());
  afterEach(() => bench.close());

  it('skips links, submodules and pointers of Git LFS with their reasons, and takes programs as files', async () => {
    const upstream = bench.upstream();
    await upstream.commit({
      'a.md': 'text',
      'about-lfs.md': `It begins with:\n${pointer}`,
      'model.bin': pointer,
      run: { mode: '100755', data: '#!/bin/sh\n' },
      link: { mode: '120000', data: '/etc/passwd' },
      vendor: { mode: '160000', data: '0123456789'.repeat(4) },
      '.gitmodules': '[submodule "vendor"]\n\tpath = vendor\n\turl = ../../../elsewhere\n',
    });
    const { files, skipped } = await bench.mirror();
    assert.deepEqual(Object.keys(files).sort(), ['.gitmodules', 'a.md', 'about-lfs.md', 'run']);
    assert.deepEqual(skipped, { link: 'symlink', vendor: 'submodule', 'model.bin': 'lfs_pointer' });
    await upstream.commit({ 'model.bin': 'weights' });
    assert.equal((await bench.mirror()).files['model.bin'], 'weights');
  });

  it('shows a name that is no text by its bytes', async () => {
    const { path } = bench.upstream();
    const oid = putObject(path, 'blob', 'x');
    const name = Buffer.from('caf\xe9.md', 'latin1');
    const tree = Buffer.concat([Buffer.from('100644 '), name, Buffer.from([0]), Buffer.from(oid, 'hex')]);
    putCommit(path, { tree: putObject(path, 'tree', tree) });
    assert.deepEqual(await bench.mirror(), { files: {}, skipped: { [String.raw`caf\xe9.md`]: 'not_decodable' } });
  });

  it('mirrors one folder of one branch, and says what is missing', async () => {
    const upstream = bench.upstream();
    await upstream.commit({ 'docs/a.md': 'a', 'docs/b/c.md': 'c', 'other.md': 'o' });
    await upstream.commit({ 'docs/a.md': 'next' }, 'next');
    assert.deepEqual((await bench.mirror({ settings: { folder: '/docs/' } })).files, { 'a.md': 'a', 'b/c.md': 'c' });
    assert.deepEqual((await bench.mirror({ settings: { branch: 'next' } })).files, { 'docs/a.md': 'next' });
    assert.equal(
      await bench.faultOf({ settings: { folder: 'none' } }),
      'not_found: The branch has no folder "none". Name another folder.',
    );
    assert.match(await bench.faultOf({ settings: { folder: 'other.md' } }), /^not_found: /);
    assert.match(await bench.faultOf({ settings: { folder: '../x' } }), /^not_found: /);
    assert.equal(
      await bench.faultOf({ settings: { branch: 'gone' } }),
      'not_found: The repository has no branch "gone". Name another branch.',
    );
    for (const branch of ['*', 'a..b', '-x', 'a:b', 'a b', '^a', '@{1}', 'x/', '/x', 'a//b', '[a]'])
      assert.match(await bench.faultOf({ settings: { branch } }), /^not_found: No branch can have this name/);
  });

  it('takes an empty repository for one without files, and another main branch for the main branch', async () => {
    const upstream = bench.upstream();
    const source = await bench.source();
    const follower = new Follower();
    await follower.follow(source, never);
    assert.deepEqual([follower.files.size, await source.probe(follower.cursor ?? '', never)], [0, 'unchanged']);
    await upstream.commit({ 'a.md': 'a' }, 'trunk');
    assert.equal(
      await bench.faultOf(),
      'not_found: The repository does not say which branch is its main one. Name a branch.',
    );
    upstream.git('symbolic-ref', 'HEAD', 'refs/heads/trunk');
    assert.equal(await source.probe(follower.cursor ?? '', never), 'maybe_changed');
    assert.match(await source.check(never), /^Branch "trunk" is at commit [0-9a-f]{12}\.$/);
    assert.deepEqual((await bench.mirror()).files, { 'a.md': 'a' });
  });

  it('goes on after a rewritten history, and stops at a deleted branch', async () => {
    const upstream = bench.upstream();
    await upstream.commit({ 'a.md': 'a', 'b.md': 'b' });
    await bench.mirror();
    await upstream.replaceHistory({ 'b.md': 'B', 'c.md': 'c' });
    assert.deepEqual((await bench.mirror()).files, { 'b.md': 'B', 'c.md': 'c' });
    upstream.git('branch', 'other', 'main');
    upstream.git('update-ref', '-d', 'refs/heads/main');
    assert.match(
      await bench.faultOf({ settings: { branch: 'main' } }),
      /^not_found: The repository has no branch "main"/,
    );
  });

  it('goes on with another repository at the same address, also one with names by SHA-256', async () => {
    await bench.upstream().commit({ 'a.md': 'a' });
    await bench.mirror();
    renameSync(bench.at('notes.git'), bench.at('old.git'));
    const upstream = bench.upstream('notes.git', 'sha256');
    assert.equal((await upstream.commit({ 'b.md': 'b' })).length, 64);
    assert.deepEqual((await bench.mirror()).files, { 'b.md': 'b' });
    await upstream.commit({ 'c.md': 'c' });
    assert.deepEqual((await bench.mirror()).files, { 'b.md': 'b', 'c.md': 'c' });
  });

  it('repairs what an interrupted run left, and makes a damaged copy again', async () => {
    const upstream = bench.upstream();
    await upstream.commit({ 'a.md': 'a' });
    await bench.mirror();
    const copy = join(bench.cache, 'copy.git');
    for (const name of ['shallow.lock', 'refs/heads/source.lock', 'objects/pack/tmp_pack_x', 'HEAD.lock'])
      writeFileSync(join(copy, name), '');
    await upstream.commit({ 'b.md': 'b' });
    assert.deepEqual((await bench.mirror()).files, { 'a.md': 'a', 'b.md': 'b' });
    assert.deepEqual(
      readdirSync(join(copy, 'objects/pack')).filter((name) => name.startsWith('tmp')),
      [],
    );
    for (const damage of ['config', 'HEAD', 'objects/pack']) {
      rmSync(join(copy, damage), { recursive: true });
      await upstream.commit({ 'c.md': damage });
      assert.deepEqual((await bench.mirror()).files['c.md'], damage);
    }
    const packs = readdirSync(join(copy, 'objects/pack')).filter((name) => name.endsWith('.pack'));
    for (const pack of packs) {
      rmSync(join(copy, 'objects/pack', pack));
      writeFileSync(join(copy, 'objects/pack', pack), 'damaged');
    }
    assert.deepEqual((await bench.mirror()).files, { 'a.md': 'a', 'b.md': 'b', 'c.md': 'objects/pack' });
  });

  it('keeps no large copy after a run', async () => {
    const upstream = bench.upstream();
    await upstream.commit({ 'a.md': 'first' });
    const limits = { copyBytes: 100 };
    for (const text of ['first', 'second']) {
      await upstream.commit({ 'a.md': text, 'b.md': `with ${text}` });
      assert.equal((await bench.mirror({ limits })).files['a.md'], text);
      assert.ok(!existsSync(join(bench.cache, 'copy.git')));
    }
    await bench.mirror();
    assert.ok(existsSync(join(bench.cache, 'copy.git')));
  });

  it('keeps its copy small through many changes, and brings no history', async () => {
    const upstream = bench.upstream();
    const copy = join(bench.cache, 'copy.git');
    const run = (parameters: string[], input = ''): string =>
      execFileSync('git', parameters, { cwd: copy, encoding: 'utf8', input }).trim();
    await upstream.commit({ 'history.md': 'before' });
    await upstream.commit({ 'a.md': 'first', 'history.md': null });
    await bench.mirror();
    for (let pack = 0; pack < 20; pack += 1) {
      const oid = run(['hash-object', '-w', '--stdin'], `an old file ${pack}`);
      run(['pack-objects', '-q', 'objects/pack/pack'], `${oid}\n`);
    }
    await upstream.commit({ 'a.md': 'last' });
    assert.deepEqual((await bench.mirror()).files, { 'a.md': 'last' });
    assert.ok(!existsSync(copy), 'it is made again instead of joined');
    await bench.mirror();
    assert.equal(readdirSync(join(copy, 'objects/pack')).filter((name) => name.endsWith('.pack')).length, 1);
    assert.equal(run(['rev-list', '--count', 'source']), '1');
    assert.equal(readFileSync(join(copy, 'shallow'), 'utf8').trim(), upstream.git('rev-parse', 'main').trim());
    assert.throws(() => run(['cat-file', '-e', upstream.git('rev-parse', 'main~2:history.md').trim()]));
  });

  const answers: Record<string, [(response: ServerResponse) => void, RegExp]> = {
    'a wrong password': [(response) => response.writeHead(401), /^auth: .*secret/],
    'a forbidden repository': [(response) => response.writeHead(403), /^auth: /],
    'too many requests': [(response) => response.writeHead(429, { 'retry-after': '77' }), /^rate: /],
    'too many requests, as GitHub says it': [(response) => response.writeHead(403, { 'retry-after': '7' }), /^rate: /],
    'no repository': [(response) => response.writeHead(404), /^not_found: There is no repository/],
    'trouble of the server': [(response) => response.writeHead(503), /^network: .*HTTP 503/],
    'a web page': [(response) => response.writeHead(200, { 'content-type': 'text/html' }), /^not_found: .*git clone/],
    'a moved repository': [
      (response) => response.writeHead(301, { location: '/moved/notes.git/info/refs?service=git-upload-pack' }),
      /^not_found: The repository has moved to http:\/\/127\.0\.0\.1:\d+\/moved\/notes\.git\. /,
    ],
    'a repository that moved to another server': [
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/notes.git' }),
      /^denied_egress: .*http:\/\/127\.0\.0\.1:1/,
    ],
  };
  for (const [what, [answer, fault]] of Object.entries(answers)) {
    it(`says what ${what} means`, async () => {
      await bench.upstream().commit({ 'a.md': 'a' });
      bench.server.intrusion = (_request, response) => {
        answer(response);
        response.end('<html>');
        return true;
      };
      assert.match(await bench.faultOf({ secret: 'kept secret' }), fault);
    });
  }

  it('waits as long as the server asks', async () => {
    await bench.upstream().commit({ 'a.md': 'a' });
    bench.server.intrusion = (_request, response) => {
      response.writeHead(429, { 'retry-after': '77' }).end();
      return true;
    };
    const source = await bench.source();
    await assert.rejects(source.check(never), (error) => error instanceof SourceFault && error.retryAfter === 77);
  });

  it('changes nothing when the server goes away midway', async () => {
    const upstream = bench.upstream();
    await upstream.commit({ 'a.md': 'a' });
    await bench.mirror();
    await upstream.commit({ 'large.bin': Buffer.from(putTree.toString().repeat(20_000)) });
    bench.server.intrusion = (request, response) => {
      if (request.method !== 'POST') return false;
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
      response.write('0011packfile');
      setImmediate(() => response.destroy());
      return true;
    };
    assert.match(await bench.faultOf(), /^network: /);
    bench.server.intrusion = undefined;
    assert.deepEqual(Object.keys((await bench.mirror()).files), ['a.md', 'large.bin']);
  });

  it('names the protocol of plain files, which git clone takes, and what is needed', async () => {
    const upstream = bench.upstream();
    await upstream.commit({ 'a.md': 'a' });
    upstream.git('update-server-info');
    const references = readFileSync(join(bench.at('notes.git'), 'info/refs'));
    for (const type of ['text/plain', 'application/octet-stream']) {
      bench.server.intrusion = (_request, response) => {
        response.writeHead(200, { 'content-type': type }).end(references);
        return true;
      };
      assert.match(await bench.faultOf(), /^not_found: .*plain files.*smart HTTP/);
    }
    bench.server.intrusion = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
      return true;
    };
    assert.match(await bench.faultOf(), /^not_found: At this address is no git repository/);
  });

  it('speaks http only with a host that the operator allows', async () => {
    await bench.upstream().commit({ 'a.md': 'a' });
    const refused = await bench.faultOf({ hosts: [] });
    assert.match(refused, /^denied_egress: .*https:\/\//);
    assert.ok(refused.includes(`add "${bench.server.host}" to the setting connector_hosts`), refused);
    assert.doesNotMatch(refused, /secret/);
    assert.match(await bench.faultOf({ hosts: [], secret: 'hush' }), /^denied_egress: With http:\/\/ the secret would/);
    assert.match(await bench.faultOf({ settings: { url: 'https://127.0.0.1/a.git' } }), /^denied_egress: /);
    assert.equal(bench.server.requests.length, 0);
  });
});
