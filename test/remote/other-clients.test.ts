import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import isomorphic from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { skipBecause } from '../support/skip.js';

const run = promisify(execFile);
const grace = { name: 'Grace', email: 'grace@example.org' };

describe('A program that speaks git by a library', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;
  let ben: RemotePerson;

  before(async () => {
    server = await openRemoteServer();
    ada = await server.cloner('approver');
    ben = await server.cloner('editor', 'team');
    await server.as(ada.key).create('team/plan.md', 'first\n');
    await server.as(ada.key).create('secret/plan.md', 'hidden\n');
  });
  after(() => server.close());

  describe('isomorphic-git', () => {
    it('clones, pulls and pushes, and keeps the ids of its commits', async () => {
      const place = at('by-isomorphic', ben.key);
      await isomorphic.clone({ ...place, singleBranch: true });
      assert.deepEqual(await isomorphic.listFiles(place), ['team/plan.md']);
      await server.as(ada.key).create('team/new.md', 'new\n');
      await isomorphic.pull({ ...place, author: grace, fastForwardOnly: true });
      assert.equal(await readFile(join(place.dir, 'team/new.md'), 'utf8'), 'new\n');

      await writeFile(join(place.dir, 'team/plan.md'), 'by isomorphic-git\n');
      await isomorphic.add({ ...place, filepath: 'team/plan.md' });
      const commit = await isomorphic.commit({ ...place, author: grace, message: 'By a library' });
      const pushed = await isomorphic.push(place);
      assert.deepEqual([pushed.ok, pushed.refs['refs/heads/main']?.ok], [true, true]);
      assert.equal(await textOf('team/plan.md'), 'by isomorphic-git\n');
      const listed = await isomorphic.listServerRefs({ ...place, prefix: 'refs/heads/' });
      assert.deepEqual(listed, [{ ref: 'refs/heads/main', oid: commit }]);
    });

    it('is told why it is refused: a wrong key, nothing shared, an overtaken push', async () => {
      const stranger = await server.cloner(null);
      assert.match(await outcomeOf(isomorphic.clone(at('none', 'nonsense'))), /canceled/i);
      assert.match(await outcomeOf(isomorphic.clone(at('none', stranger.key))), /^HTTP Error: 404/);
      const place = at('overtaken', ben.key);
      await isomorphic.clone(place);
      await server.as(ada.key).create('team/meanwhile.md', 'meanwhile');
      // The other clone gets what this one lacks.
      await isomorphic.clone(at('overtaking', ben.key));
      await writeFile(join(place.dir, 'team/plan.md'), 'overtaken\n');
      await isomorphic.add({ ...place, filepath: 'team/plan.md' });
      await isomorphic.commit({ ...place, author: grace, message: 'Too late' });
      assert.match(await outcomeOf(isomorphic.push(place)), /not a simple fast-forward|fetch first/);
      assert.notEqual(await textOf('team/plan.md'), 'overtaken\n');
    });

    const at = (dir: string, key: string) => ({
      fs,
      http,
      dir: join(server.folder, dir),
      url: server.url(),
      onAuth: () => ({ username: 'anybody', password: key }),
      onAuthFailure: () => ({ cancel: true }),
    });

    const outcomeOf = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'done',
        (error: unknown) => (error as Error).message,
      );
  });

  describe('libgit2', () => {
    const python = '/usr/bin/python3';
    // The script lies beside the source of this file, since the compiler copies no Python.
    const script = fileURLToPath(new URL('../../../test/remote/use-libgit2.py', import.meta.url));

    before(function () {
      if (spawnSync(python, ['-c', 'import pygit2']).status !== 0) skipBecause(this, 'python3-pygit2 is not installed');
    });

    it('clones, pulls and pushes, and keeps the ids of its commits', async () => {
      const [cloned] = await use(ben.key, 'by-libgit2', 'clone');
      assert.equal('secret/plan.md' in (cloned?.files ?? {}), false);
      await server.as(ada.key).create('team/for-libgit2.md', 'new\n');
      const [pulled, pushed] = await use(ben.key, 'by-libgit2', 'pull', 'push=team/sub/made.md=by libgit2');
      assert.deepEqual([pulled?.forward, pulled?.files?.['team/for-libgit2.md']], [true, 'new\n']);
      assert.deepEqual([pushed?.error, pushed?.rejected], [undefined, null]);
      assert.equal(await textOf('team/sub/made.md'), 'by libgit2');
      const [again] = await use(ben.key, 'by-libgit2', 'pull');
      assert.equal(again?.head, pushed?.head);
    });

    it('is told why it is refused: a wrong key, nothing shared, a place that may not be written', async () => {
      const stranger = await server.cloner(null);
      const [[wrong], [nothing]] = await Promise.all([
        use('nonsense', 'none', 'clone'),
        use(stranger.key, 'nothing', 'clone'),
      ]);
      assert.match(wrong?.error ?? '', /the key was refused|authentication/);
      assert.match(nothing?.error ?? '', /404/);
      const [, refused] = await use(ben.key, 'refused', 'clone', 'push=secret/plan.md=mine');
      assert.equal(refused?.rejected, 'a file was refused');
      assert.match(refused?.said ?? '', /^secret\/plan\.md \([0-9a-f]{8}\): \S/);
      assert.equal(await textOf('secret/plan.md'), 'hidden\n');
    });

    interface Step {
      readonly head?: string;
      readonly files?: Readonly<Record<string, string>>;
      readonly forward?: boolean;
      readonly rejected?: string | null;
      readonly error?: string;
      readonly said: string;
    }

    async function use(key: string, folder: string, ...steps: readonly string[]): Promise<readonly Step[]> {
      const { stdout } = await run(python, [script, server.url(), key, join(server.folder, folder), ...steps]);
      return stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Step);
    }
  });

  const textOf = async (location: string): Promise<string> =>
    (await server.as(ada.key).get(`/v1/files/${location}`)).text;
});
