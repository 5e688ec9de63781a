import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, askRefused, makeFolder, patience, runProgram, serve, tidyUp } from './run-program.js';

interface Imported {
  readonly created: number;
  readonly updated?: number;
  readonly deleted?: number;
  readonly unchanged: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly commit: string;
  readonly commits?: number;
  readonly of?: number;
}

interface Entry {
  readonly what: string;
  readonly message: string | null;
}

/** A work tree with its repository, and a data folder beside it. */
interface Place {
  readonly folder: string;
  readonly tree: string;
  readonly data: string;
  git(...parameters: string[]): string;
  write(name: string, text: string | Buffer): Promise<void>;
  commit(message: string): string;
  bring(...parameters: string[]): Promise<Imported>;
  refuse(...parameters: string[]): Promise<{ code: string; message: string; details?: Record<string, unknown> }>;
}

const environment = {
  PATH: process.env['PATH'],
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Grace',
  GIT_AUTHOR_EMAIL: 'grace@example.org',
  GIT_COMMITTER_NAME: 'Grace',
  GIT_COMMITTER_EMAIL: 'grace@example.org',
  GIT_AUTHOR_DATE: '2020-02-03T04:05:06Z',
  GIT_COMMITTER_DATE: '2020-02-03T04:05:06Z',
};

async function makePlace(...initParameters: string[]): Promise<Place> {
  const folder = await makeFolder();
  const [tree, data] = [join(folder, 'tree'), join(folder, 'data')];
  await mkdir(tree);
  const git = (...parameters: string[]): string =>
    execFileSync('git', ['-C', tree, ...parameters], { encoding: 'utf8', env: environment, stdio: 'pipe' }).trim();
  git('init', '-q', '-b', 'main', ...initParameters);
  await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
  return {
    folder,
    tree,
    data,
    git,
    async write(name, text) {
      await mkdir(join(tree, name, '..'), { recursive: true });
      await writeFile(join(tree, name), text);
    },
    commit(message) {
      git('add', '-A');
      git('commit', '-q', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
    bring: (...parameters) => ask<Imported>('import', ...parameters, '--into', 'wiki', '--data', data),
    refuse: (...parameters) => askRefused('import', ...parameters, '--into', 'wiki', '--data', data),
  };
}

const historyOf = async ({ data }: Place, location: string): Promise<readonly Entry[]> =>
  (await ask<{ items: Entry[] }>('document', 'history', location, '--data', data)).items;

const documentsIn = async ({ data }: Place): Promise<number | undefined> =>
  (await ask<{ workspaces: { documents: number }[] }>('verify', '--data', data)).workspaces[0]?.documents;

/** One of everything that a tree can hold. */
async function fill(place: Place): Promise<string> {
  const { tree, write, git } = place;
  await write('welcome.md', '# Welcome\n');
  await write('tools/run.sh', '#!/bin/sh\n');
  await chmod(join(tree, 'tools/run.sh'), 0o755);
  await write('large.bin', Buffer.alloc(3_000_000, 7));
  await write('cafe\u0301.md', 'decomposed\n');
  await write('bad\\folder/a.md', 'unreachable');
  await write('bad\\folder/b.md', 'unreachable');
  await write('kept/.keep', '');
  await symlink('/etc/passwd', join(tree, 'link.md'));
  git('add', '-A');
  git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
  git('commit', '-q', '-m', 'All of it');
  return git('rev-parse', 'HEAD');
}

const reasons: readonly (readonly [string, RegExp])[] = [
  ['bad\\folder', /backslash/],
  ['kept/.keep', /reserved/],
  ['link.md', /symbolic link/],
  ['module', /submodule/],
];

function assertSkipped({ skipped }: Imported): void {
  assert.deepEqual(skipped.map(({ path }) => path).toSorted(), reasons.map(([path]) => path).toSorted());
  for (const [path, reason] of reasons) {
    assert.match(skipped.find((each) => each.path === path)?.reason ?? '', reason, path);
  }
}

describe('the command line imports a git repository', function () {
  this.timeout(patience);

  afterEach(tidyUp);

  it('as it is at a commit: what can come in does, the rest is named, and again changes nothing', async () => {
    const place = await makePlace();
    const commit = await fill(place);
    await place.write('not-committed.md', 'x');
    const first = await place.bring(join(place.tree, '.git'));
    assert.deepEqual([first.created, first.unchanged, first.commit], [4, 0, commit]);
    assertSkipped(first);
    const again = await place.bring(place.tree, '--ref', 'main');
    assert.deepEqual([again.created, again.unchanged], [0, 4]);
    assert.equal(await documentsIn(place), 4);
    assert.equal((await historyOf(place, 'wiki/café.md')).length, 1);
  });

  it('from a bare repository and from a bundle, beside a server, at any branch or tag', async () => {
    const place = await makePlace();
    await place.write('a.md', 'one');
    place.commit('one');
    place.git('tag', 'v1');
    place.git('switch', '-q', '-c', 'other');
    await place.write('b.md', 'two');
    place.commit('two');
    const [bare, bundle] = [join(place.folder, 'bare.git'), join(place.folder, 'all.bundle')];
    place.git('clone', '-q', '--bare', '.', bare);
    place.git('bundle', 'create', '-q', bundle, 'main', 'other');
    const server = await serve(place.data);
    assert.equal((await place.bring(bare, '--ref', 'v1')).created, 1);
    assert.equal((await place.bring(bundle)).unchanged, 1);
    assert.equal((await place.bring(bundle, '--ref', 'other')).created, 1);
    assert.equal((await place.bring(bare, '--history')).created, 0);
    await server.stop();
  });

  it('as a folder where one has a .git in it and no commit is asked for', async () => {
    const place = await makePlace();
    await place.write('a.md', 'committed');
    place.commit('one');
    await place.write('b.md', 'not committed');
    const { created, skipped, commit } = await place.bring(place.tree);
    assert.deepEqual([created, commit], [2, undefined]);
    assert.deepEqual(
      skipped.map(({ path }) => path),
      ['.git'],
    );
  });

  it('and refuses what it cannot read, with a sentence that says why', async () => {
    const place = await makePlace();
    await place.write('a.md', 'one');
    const unborn = await place.refuse(place.tree, '--history');
    assert.match(unborn.message, /HEAD of the repository leads to no commit/);
    place.commit('one');
    const missing = await place.refuse(place.tree, '--ref', 'nowhere');
    assert.deepEqual(missing.details, { reason: 'bad_field', field: 'ref' });
    assert.match(missing.message, /no commit "nowhere"/);
    assert.match((await place.refuse(place.tree, '--ref=--all')).message, /no commit "--all"/);
    for (const address of ['https://example.org/x.git', 'git@example.org:x.git', 'ext::sh -c x', 'file:///x.git']) {
      const refused = await place.refuse(address);
      assert.equal(refused.details?.['field'], 'directory', address);
      if (!address.startsWith('ext')) assert.match(refused.message, /Clone it first, then import the clone/);
    }
    const plain = join(place.folder, 'plain');
    await mkdir(plain);
    assert.match((await place.refuse(plain, '--history')).message, /no git repository/);
    await writeFile(join(plain, '.git'), `gitdir: ${place.tree}/.git\n`);
    assert.match((await place.refuse(plain, '--history')).message, /Name that repository itself/);
    assert.match((await place.refuse(join(place.data, 'acme'))).message, /own data folder/);
    const bundle = join(place.folder, 'rest.bundle');
    await place.write('b.md', 'two');
    place.commit('two');
    place.git('bundle', 'create', '-q', bundle, 'main~1..main');
    assert.match((await place.refuse(bundle)).message, /cannot be unpacked/);
    await writeFile(bundle, '# v2 git bundle\nnonsense');
    assert.match((await place.refuse(bundle)).message, /cannot be unpacked/);
    assert.equal(await documentsIn(place), 0);
  });

  it('and refuses one that names its objects by SHA-256', async () => {
    const place = await makePlace('--object-format=sha256');
    await place.write('a.md', 'one');
    place.commit('one');
    assert.match((await place.refuse(place.tree, '--ref', 'main')).message, /only SHA-1 repositories/);
  });

  it("and refuses one that borrows: nobody else's objects become documents", async () => {
    const secret = await makePlace();
    await secret.write('secret.md', 'hidden');
    secret.commit('secret');
    const place = await makePlace();
    const objects = join(place.tree, '.git/objects');
    await writeFile(join(objects, 'info/alternates'), `${secret.tree}/.git/objects\n`);
    place.git('update-ref', 'refs/heads/main', secret.git('rev-parse', 'HEAD'));
    assert.match((await place.refuse(place.tree, '--ref', 'main')).message, /objects\/info\/alternates/);
    await rm(join(objects, 'info/alternates'));
    await rm(join(objects, 'pack'), { recursive: true });
    await symlink(join(secret.tree, '.git/objects/pack'), join(objects, 'pack'));
    assert.match((await place.refuse(place.tree, '--history')).message, /no file of its own/);
    await rename(objects, join(place.folder, 'objects'));
    await symlink(join(secret.tree, '.git/objects'), objects);
    assert.match((await place.refuse(place.tree, '--history')).message, /does not hold all its objects/);
    await rm(objects);
    await rename(join(place.folder, 'objects'), objects);
    await writeFile(join(place.tree, '.git/commondir'), `${secret.tree}/.git\n`);
    assert.match((await place.refuse(place.tree, '--history')).message, /commondir/);
    assert.equal(await documentsIn(place), 0);
  });

  it('and starts no program that its configuration, attributes or hooks name', async () => {
    const place = await makePlace();
    await place.write('.gitattributes', '*.md filter=evil diff=evil\n');
    await place.write('a.md', 'one');
    place.commit('one');
    await place.write('a.md', 'two');
    place.commit('two');
    const called = join(place.folder, 'called');
    const program = `touch '${called}'; false`;
    for (const key of [
      'core.sshCommand',
      'core.fsmonitor',
      'core.pager',
      'core.editor',
      'core.gitProxy',
      'diff.external',
      'diff.evil.command',
      'diff.evil.textconv',
      'filter.evil.smudge',
      'filter.evil.clean',
      'filter.evil.process',
      'gpg.program',
      'remote.origin.uploadpack',
      'credential.helper',
      'alias.ls-tree',
      'pager.ls-tree',
    ]) {
      place.git('config', key, key.startsWith('alias') ? `!${program}` : program);
    }
    place.git('config', 'remote.origin.url', 'ssh://nowhere.invalid/x');
    place.git('config', 'log.showSignature', 'true');
    for (const name of ['post-checkout', 'pre-commit', 'reference-transaction', 'post-index-change']) {
      await writeFile(join(place.tree, '.git/hooks', name), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    }
    const { created, updated, skipped } = await place.bring(place.tree, '--history');
    assert.deepEqual([created, updated], [1, 1]);
    assert.deepEqual(
      skipped.map(({ path }) => path),
      ['.gitattributes'],
    );
    assert.equal((await place.bring(place.tree, '--ref', 'HEAD')).unchanged, 1);
    place.git('config', 'core.repositoryformatversion', '1');
    place.git('config', 'extensions.partialClone', 'origin');
    place.git('config', 'remote.origin.promisor', 'true');
    const blob = place.git('rev-parse', 'HEAD:a.md');
    await rm(join(place.tree, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    assert.match((await place.refuse(place.tree, '--ref', 'HEAD')).message, /partial clone, and nothing is fetched/);
    assert.equal(existsSync(called), false);
  });

  it('and passes over what the repository has lost', async () => {
    const place = await makePlace();
    await place.write('a.md', 'one');
    await place.write('b.md', 'two');
    place.commit('one');
    const blob = place.git('rev-parse', 'HEAD:a.md');
    await rm(join(place.tree, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true });
    const { created, skipped } = await place.bring(place.tree, '--ref', 'main');
    assert.equal(created, 1);
    assert.match(skipped[0]?.reason ?? '', /lost its content/);
  });
});

describe('the command line imports the history of a git repository', function () {
  this.timeout(patience);

  afterEach(tidyUp);

  it('commit by commit, with who made each, and goes on where it was', async () => {
    const place = await makePlace();
    await place.write('a.md', 'one');
    await place.write('gone.md', 'for a while');
    const first = place.commit('Begin\n\nAt length.');
    place.commit('Nothing in it');
    await place.write('a.md', 'two');
    await place.write('b/c.md', 'new');
    await rm(join(place.tree, 'gone.md'));
    const third = place.commit('Go on');
    place.git('switch', '-q', '-c', 'side', first);
    await place.write('side.md', 'beside');
    place.commit('Beside');
    place.git('switch', '-q', 'main');
    place.git('merge', '-q', '--no-ff', '-m', 'Merge side', 'side');

    const { stderr, code } = await runProgram([
      'import',
      place.tree,
      '--history',
      '--ref',
      'main~2',
      '--into',
      'wiki',
      '--data',
      place.data,
    ]);
    assert.equal(code, 0, stderr);
    const rest = await place.bring(place.tree, '--history');
    assert.deepEqual([rest.created, rest.updated, rest.deleted], [2, 1, 1]);
    assert.deepEqual([rest.commits, rest.of, rest.skipped.length], [3, 4, 0]);
    assert.equal(await documentsIn(place), 3);
    const by = 'Grace <grace@example.org>, 2020-02-03T04:05:06Z';
    assert.deepEqual(
      (await historyOf(place, 'wiki/a.md')).map(({ what, message }) => [what, message]),
      [
        ['update', `Go on\n\n${by}\ngit commit ${third}, imported into /wiki`],
        ['import', `Begin\n\n${by}\ngit commit ${first}, imported into /wiki`],
      ],
    );
    assert.match((await historyOf(place, 'wiki/side.md'))[0]?.message ?? '', /^Merge side\n/);

    const before = await historyOf(place, 'wiki/side.md');
    const again = await place.bring(place.tree, '--history');
    assert.deepEqual([again.created, again.updated, again.deleted, again.commits], [0, 0, 0, 0]);
    assert.deepEqual(await historyOf(place, 'wiki/side.md'), before);
  });

  it('finishes what was ended in the middle, to the same documents and versions', async () => {
    const place = await makePlace();
    for (let round = 0; round < 60; round += 1) {
      await place.write(`page-${round % 7}.md`, `round ${round}`);
      await place.write(`new-${round}.md`, 'x');
      place.commit(`Round ${round}`);
    }
    const parameters = ['import', place.tree, '--history', '--into', 'wiki', '--data', place.data];
    const program = join(import.meta.dirname, '../../bin/cartulary.js');
    const child = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.once('data', () => child.kill('SIGKILL'));
    const [, signal] = (await once(child, 'close')) as [number | null, string | null];
    assert.equal(signal, 'SIGKILL');
    const { commits = 0, of } = await place.bring(place.tree, '--history');
    assert.equal(of, 60);
    assert.ok(commits > 0 && commits < 60, `${commits} were left`);
    assert.equal(await documentsIn(place), 67);
    const messages = (await historyOf(place, 'wiki/page-3.md')).map(({ message }) => message?.split('\n')[0]);
    assert.deepEqual(
      messages,
      [59, 52, 45, 38, 31, 24, 17, 10, 3].map((round) => `Round ${round}`),
    );
  });

  it('follows files that become folders, links and executables', async () => {
    const place = await makePlace();
    await place.write('a', 'file');
    await place.write('b.md', 'file');
    await place.write('run.sh', 'x');
    place.commit('Files');
    await rm(join(place.tree, 'a'));
    await place.write('a/inside.md', 'in a folder');
    await rm(join(place.tree, 'b.md'));
    await symlink('a', join(place.tree, 'b.md'));
    await chmod(join(place.tree, 'run.sh'), 0o755);
    place.commit('Others');
    await rm(join(place.tree, 'b.md'));
    await place.write('b.md', 'again a file');
    place.commit('Back');
    const { created, updated, deleted, skipped } = await place.bring(place.tree, '--history');
    assert.deepEqual([created, updated, deleted], [5, 0, 2]);
    assert.deepEqual(
      skipped.map(({ path }) => path),
      ['b.md'],
    );
    assert.equal((await historyOf(place, 'wiki/run.sh')).length, 1);
    assert.equal(await documentsIn(place), 3);
  });

  it('never overwrites nor deletes what was changed here, and says so', async () => {
    const place = await makePlace();
    await place.write('a.md', 'one');
    await place.write('b.md', 'one');
    await place.write('c.md', 'one');
    place.commit('One');
    await place.write('a.md', 'two');
    place.commit('Two');
    await place.bring(place.tree, '--history');
    const [newest, oldest] = (
      await ask<{ items: { version: string }[] }>('document', 'history', 'wiki/a.md', '--data', place.data)
    ).items;
    assert.ok(newest !== undefined && oldest !== undefined);
    await ask('document', 'restore', 'wiki/a.md', '--version', oldest.version, '--data', place.data);
    await place.write('a.md', 'three');
    place.commit('Three');
    const { updated, skipped } = await place.bring(place.tree, '--history');
    assert.equal(updated, 0);
    assert.deepEqual([...new Set(skipped.map(({ path }) => path))], ['a.md']);
    assert.equal((await historyOf(place, 'wiki/a.md')).length, 3);
    await rm(join(place.tree, 'a.md'));
    await rm(join(place.tree, 'b.md'));
    place.commit('Four');
    const last = await place.bring(place.tree, '--history');
    assert.equal(last.deleted, 1);
    assert.match(last.skipped.find(({ reason }) => reason.includes('deleted'))?.path ?? '', /^a\.md$/);
    assert.equal(await documentsIn(place), 2);
  });
});
