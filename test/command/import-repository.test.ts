import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { timeout, serve, tidyUp } from '../support/processes/run-program.js';
import { type Imported, type Place, makePlace, historyOf, documentsIn } from './git-place.js';

const reasons: readonly (readonly [string, RegExp])[] = [
  ['bad\\folder', /backslash/],
  ['film.mp4', /Git LFS/],
  ['kept/.keep', /reserved/],
  ['link.md', /symbolic link/],
  ['module', /submodule/],
];

describe('the command line imports a git repository', function () {
  this.timeout(timeout);

  afterEach(tidyUp);

  it('as it is at a commit: it imports all it can, names the rest, and changes nothing the second time', async () => {
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

  it('and refuses an unreadable one, with a sentence that gives the reason', async () => {
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

  it('and refuses one that borrows: foreign objects never become documents', async () => {
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

  it('and skips the objects that the repository has lost', async () => {
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

/** One of each kind of entry that a tree can hold. */
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
  await write('film.mp4', `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345678\n`);
  await symlink('/etc/passwd', join(tree, 'link.md'));
  git('add', '-A');
  git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
  git('commit', '-q', '-m', 'All of it');
  return git('rev-parse', 'HEAD');
}

function assertSkipped({ skipped }: Imported): void {
  assert.deepEqual(skipped.map(({ path }) => path).toSorted(), reasons.map(([path]) => path).toSorted());
  for (const [path, reason] of reasons) {
    assert.match(skipped.find((each) => each.path === path)?.reason ?? '', reason, path);
  }
}
