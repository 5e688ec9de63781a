import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodePacket, flushPacket } from '../../lib/git/serving/packets.js';
import { git, runClient } from '../support/git/git-client.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';

const delimiter = Buffer.from('0001');

describe('An approver of the root clones the workspace', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;

  before(async () => {
    server = await openRemoteServer();
    ada = await server.cloner('approver');
    const rest = server.as(ada.key);
    await rest.create('handbook/a.md', 'first');
    await rest.put('/v1/documents/handbook/a.md', { content: 'second' });
    await rest.create('b.md', 'other');
  });
  after(() => server.close());

  it('with all of its history, as git and REST both have it', async () => {
    await git(server.folder, ['clone', '-q', ada.url, 'whole']);
    const clone = join(server.folder, 'whole');
    assert.equal(await git(clone, ['rev-parse', 'HEAD']), server.head);
    assert.equal(await git(clone, ['rev-list', '--count', 'HEAD']), '3');
    assert.equal(await readFile(join(clone, 'handbook/a.md'), 'utf8'), 'second');
    assert.equal(await git(clone, ['symbolic-ref', '--short', 'HEAD']), 'main');
  });

  for (const version of ['0', '1', '2']) {
    it(`and pulls what was written since, in version ${version} of the protocol`, async () => {
      const name = `pulled-${version}`;
      await git(server.folder, ['-c', `protocol.version=${version}`, 'clone', '-q', ada.url, name]);
      await server.as(ada.key).create(`new-${version}.md`, 'new');
      const clone = join(server.folder, name);
      await git(clone, ['-c', `protocol.version=${version}`, 'pull', '-q', '--ff-only']);
      assert.equal(await git(clone, ['rev-parse', 'HEAD']), server.head);
    });
  }

  it('shallow, in parts and by one branch', async () => {
    await git(server.folder, ['clone', '-q', '--depth=1', ada.url, 'shallow']);
    const shallow = join(server.folder, 'shallow');
    assert.equal(await git(shallow, ['rev-list', '--count', 'HEAD']), '1');
    await git(shallow, ['fetch', '-q', '--unshallow']);
    assert.equal(
      await git(shallow, ['rev-list', '--count', 'HEAD']),
      await git(join(server.folder, 'pulled-2'), ['rev-list', '--count', 'HEAD']),
    );
    await git(server.folder, ['clone', '-q', '--filter=blob:none', ada.url, 'partial']);
    const partial = join(server.folder, 'partial');
    // The first version of a file is fetched when somebody looks at it.
    const [first] = (await git(partial, ['log', '--format=%H', '--', 'handbook/a.md'])).split('\n').slice(-1);
    assert.equal(await git(partial, ['show', `${first}:handbook/a.md`]), 'first');
    await git(server.folder, ['clone', '-q', '--single-branch', '--branch=main', ada.url, 'single']);
    assert.equal(await readFile(join(server.folder, 'single/b.md'), 'utf8'), 'other');
    const { stderr } = await runClient(server.folder, ['clone', '-q', '--filter=sparse:oid=main', ada.url, 'sparse']);
    assert.match(stderr, /fatal: remote error: filter 'sparse:oid' not supported/);
  });

  it('and sees one branch, and no other names', async () => {
    const names = await git(server.folder, ['ls-remote', ada.url]);
    assert.equal(names, `${server.head}\tHEAD\n${server.head}\trefs/heads/main`);
  });

  for (const version of ['0', '2']) {
    it(`and hears in git’s words that an id is unknown, in version ${version}`, async () => {
      const unknown = '1'.repeat(40);
      const want = `want ${unknown}`;
      const lines =
        version === '2'
          ? [encodePacket('command=fetch'), delimiter, encodePacket(`${want}\n`), encodePacket('done\n'), flushPacket]
          : [encodePacket(`${want} side-band-64k\n`), flushPacket, encodePacket('done\n')];
      const answer = await fetch(`${server.url()}/git-upload-pack`, {
        method: 'POST',
        body: Buffer.concat(lines),
        headers: {
          Authorization: `Bearer ${ada.key}`,
          'Content-Type': 'application/x-git-upload-pack-request',
          'Git-Protocol': `version=${version}`,
        },
      });
      assert.equal(answer.status, 200);
      assert.match(await answer.text(), new RegExp(`^[0-9a-f]{4}ERR upload-pack: not our ref ${unknown}`));
    });

    it(`and is told what to do when its clone has another history, in version ${version}`, async () => {
      const stray = join(server.folder, `stray-${version}`);
      await git(server.folder, ['init', '-q', '-b', 'main', stray]);
      for (const number of ['1', '2']) await git(stray, ['commit', '-q', '--allow-empty', '-m', number]);
      await git(stray, ['remote', 'add', 'origin', ada.url]);
      const first = await runClient(stray, ['-c', `protocol.version=${version}`, 'fetch']);
      assert.equal(first.code, 0, first.stderr);
      assert.match(first.stderr, /remote: The history of this repository has started over/);
      assert.match(first.stderr, /remote: .* run: git fetch && git reset --hard origin\/main/);
      await git(stray, ['reset', '-q', '--hard', 'origin/main']);
      await server.as(ada.key).create(`after-stray-${version}.md`, 'x');
      const next = await runClient(stray, ['-c', `protocol.version=${version}`, 'fetch']);
      assert.doesNotMatch(next.stderr, /in common/);
      const fresh = await runClient(server.folder, ['clone', ada.url, `fresh-${version}`]);
      assert.doesNotMatch(fresh.stderr, /in common/);
    });
  }

  it('but not by the dumb protocol, as an archive, or at another path, and reads why', async () => {
    const refused = async (parameters: string[], environment: Record<string, string> = {}): Promise<string> => {
      const { code, stderr } = await runClient(server.folder, parameters, environment);
      assert.equal(code, 128, parameters.join(' '));
      return stderr;
    };
    const dumb = await refused(['clone', ada.url, 'dumb'], { GIT_SMART_HTTP: '0' });
    assert.match(dumb, /remote: This repository is served by the smart HTTP protocol alone\./);
    const elsewhere = await refused(['clone', `${ada.url}/handbook`, 'elsewhere']);
    assert.match(elsewhere, /remote: Nothing is served here\./);
    await refused(['archive', `--remote=${ada.url}`, 'HEAD']);
    const archive = await fetch(`${server.url()}/info/refs?service=git-upload-archive`, {
      headers: { Authorization: `Bearer ${ada.key}` },
    });
    assert.equal(archive.status, 403);
    assert.match(await archive.text(), /^Archives are not served by git\./);
  });

  it('but not by Git LFS, which is told so in its own form', async () => {
    for (const path of ['/info/lfs/objects/batch', '.git/info/lfs/locks/verify']) {
      const answer = await fetch(`${server.url()}${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${ada.key}`, 'Content-Type': 'application/vnd.git-lfs+json' },
        body: '{"operation":"upload","objects":[]}',
      });
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'application/vnd.git-lfs+json']);
      assert.match(
        ((await answer.json()) as { message: string }).message,
        /Git LFS is not served here\. Commit the files/,
      );
    }
  });

  it('only with a key', async () => {
    const { code, stderr } = await runClient(server.folder, ['clone', '-q', server.url(), 'nothing']);
    assert.equal(code, 128);
    assert.match(stderr, /could not read Username/);
    const wrong = await runClient(server.folder, ['clone', '-q', server.url('ck_wrong'), 'nothing']);
    assert.match(wrong.stderr, /remote: A valid key for git is required\./);
    assert.match(wrong.stderr, /fatal: Authentication failed/);
    await git(server.folder, ['-c', `http.extraHeader=Authorization: Bearer ${ada.key}`, 'ls-remote', server.url()]);
  });
});
