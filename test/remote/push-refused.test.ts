import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readPolicy } from '../../lib/access/read-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { operator } from '../support/store/service.js';
import { putObject, putTree } from '../support/git/put-object.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { TestMirror } from '../support/store/test-mirror.js';
import { WorkTree } from '../support/git/work-tree.js';

describe('A push is refused in the words of git', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;
  let bob: RemotePerson;
  let tree: WorkTree;
  let mine: WorkTree;
  let head: string | null;
  /** Bytes of the disk. */
  let free = 1e12;
  const manual = readFileSync('lib/docs/git.md', 'utf8');

  before(async () => {
    server = await openRemoteServer({ measureDisk: () => Promise.resolve({ free, total: 1e12 }) });
    ada = await server.cloner('approver');
    bob = await server.cloner('editor', 'handbook');
    await server.host.grant('reader', { type: 'principal', id: bob.id }, 'rules');
    const rest = server.as(ada.key);
    await rest.create('handbook/a.md', 'first');
    await rest.create('rules/r.md', 'a rule');
    await rest.create('hidden/h.md', 'hidden');
    await rest.create('handbook/claimed.md', 'claimed');
    await rest.create('handbook/plans/p.md', 'plans for few');
    await server.host.grant('reader', { type: 'principal', id: await server.host.principal('Cy') }, 'handbook/open');
    const mirror = await TestMirror.open(server.host.workspace, 'handbook/docs');
    await mirror.sync({ written: { 'm.md': 'mirrored' } });
    await perform(server.host.workspace, operator, changePolicy, { largestBlob: 10_000 });
    tree = await WorkTree.clone(server.folder, ada.url, 'tree');
    mine = await WorkTree.clone(server.folder, bob.url, 'mine');
    head = server.head;
  });
  after(() => server.close());
  beforeEach(async () => {
    await tree.reset();
    await mine.reset();
  });
  afterEach(() => assert.equal(server.head, head, 'nothing was written'));

  it('where it holds what is no plain file: each with the reason and the remedy', async () => {
    await tree.write('run.sh', '#!/bin/sh\n');
    await chmod(join(tree.folder, 'run.sh'), 0o755);
    await symlink('handbook/a.md', join(tree.folder, 'link.md'));
    await tree.git('add', '-A');
    await tree.git('update-index', '--add', '--cacheinfo', `160000,${head ?? ''},module`);
    await tree.git('commit', '-qm', 'Unfit');
    const { code, stderr } = await tree.push();
    assert.equal(code, 1);
    assert.match(stderr, /remote: link\.md \([0-9a-f]{8}\): It is a symbolic link, .* Put a copy/);
    assert.match(stderr, /remote: module \([0-9a-f]{8}\): It is a submodule, .* git rm --cached/);
    assert.match(stderr, /remote: run\.sh \([0-9a-f]{8}\): .* chmod -x and git update-index --chmod=-x/);
    assert.match(stderr, /remote: Nothing was written\. To change a commit: git commit --amend/);
    assert.match(stderr, /! \[remote rejected\] main -> main \(3 files were refused\)/);
    await tree.git('rm', '-q', '--cached', 'module', 'link.md');
    await tree.git('update-index', '--chmod=-x', 'run.sh');
    await tree.git('commit', '-q', '--amend', '-m', 'Fit');
    assert.equal((await tree.push()).code, 0, 'the remedies help');
    head = server.head;
  });

  it('where it holds pointers of Git LFS, whose content is in no commit', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345678\n`;
    await tree.write('film.mp4', pointer);
    await tree.write('photo.jpg', pointer.replace('aaa', 'bbb'));
    await tree.git('add', 'film.mp4', 'photo.jpg');
    await tree.git('commit', '-qm', 'Pointers');
    const { code, stderr } = await tree.push();
    assert.equal(code, 1);
    assert.match(stderr, /remote: film\.mp4 is a pointer of Git LFS, .* So are 1 more\. .* git lfs migrate export/);
    await tree.git('reset', '-q', '--hard', 'HEAD~1');
    await tree.write('about-lfs.md', `A pointer looks so:\n\n${pointer}`);
    await tree.git('add', 'about-lfs.md');
    await tree.git('commit', '-qm', 'A page about pointers');
    assert.equal((await tree.push()).code, 0);
    head = server.head;
  });

  it('where a name is no location, or nobody would see what it is', async () => {
    const oid = putObject(join(tree.folder, '.git'), 'blob', 'x');
    const names = ['back\\slash.md', 'cafe\u0301.md', 'hidden\u200b.md', 'tab\tin.md', '.keep', ' blank.md'];
    const made = putTree(
      join(tree.folder, '.git'),
      names
        .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .map((name) => ({ name, mode: '100644', oid })),
    );
    const commit = await tree.git('commit-tree', made, '-p', 'HEAD', '-m', 'Names');
    const { stderr } = await tree.push('origin', `${commit}:main`);
    for (const said of ['a backslash', 'normalization form C', 'U+200B', 'a control character', '".keep"', 'a blank']) {
      assert.ok(stderr.includes(said), `${said}: ${stderr}`);
    }
    assert.doesNotMatch(stderr, /\t/);
  });

  it('where git would take a name for its own', async () => {
    const folder = join(tree.folder, '.git');
    const oid = putObject(folder, 'blob', 'x');
    const made = putTree(folder, [{ name: '.GIT', mode: '100644', oid }]);
    const commit = await tree.git('commit-tree', made, '-p', 'HEAD', '-m', 'Names');
    const { stderr } = await tree.push('origin', `${commit}:main`);
    assert.match(
      stderr,
      /remote: \.GIT \([0-9a-f]{8}\): The name has a segment that git would take for its own\. Rename/,
    );
    assert.match(stderr, /! \[remote rejected\] .* \(3 files were refused\)/);
    assert.match(stderr, /remote: handbook\/docs\/\.keep .* Put it back, in that commit\./);
    const below = putTree(folder, [{ name: '.git', mode: '40000', oid: made }]);
    const inBranch = await tree.git('commit-tree', below, '-p', 'HEAD', '-m', 'A branch');
    const merge = await tree.git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-p', inBranch, '-m', 'Merge it');
    const merged = await tree.push('origin', `${merge}:main`);
    assert.match(merged.stderr, new RegExp(`remote: The folder (${below}|${made}) .* git rev-list --objects HEAD`));
  });

  it('where a file is too large, here or in a merged branch', async () => {
    await mine.commit({ 'handbook/large.md': 'x'.repeat(10_001), 'handbook/small.md': 'y' });
    const { stderr } = await mine.push();
    assert.match(
      stderr,
      /remote: handbook\/large\.md \([0-9a-f]{8}\): It has 10001 bytes, and a file has at most 10000\./,
    );
    assert.match(stderr, /main -> main \(a file was refused\)/);
    await mine.reset();
    await mine.git('checkout', '-q', '-b', 'branch');
    await mine.commit({ 'handbook/large.md': 'x'.repeat(10_001) });
    await mine.commit({ 'handbook/large.md': null });
    await mine.git('checkout', '-q', 'main');
    await mine.commit({ 'handbook/own.md': 'own' });
    await mine.git('merge', '-q', '--no-edit', 'branch');
    assert.match((await mine.push()).stderr, /A merged branch holds a file of more than 10000 bytes/);
  });

  it('where it has more than 1,000 changes or commits', async () => {
    const files = Array.from({ length: 1001 }, (_, index) => [`handbook/many/${index}.md`, `${index}`]);
    await mine.commit(Object.fromEntries(files) as Record<string, string>);
    const { stderr } = await mine.push();
    assert.match(stderr, /remote: A push changes at most 1000 files\. .* git push origin COMMIT:main/);
    assert.match(stderr, /! \[remote rejected\] main -> main \(/);
  });

  it('where the place is out of reach or only readable: in the same words as where there is nothing', async () => {
    await mine.commit({ 'hidden/h.md': 'x', 'hidden/none.md': 'x', 'nowhere/n.md': 'x', 'rules/r.md': 'changed' });
    const { stderr } = await mine.push();
    const said = stderr
      .split('\n')
      .filter((line) => /^remote: \S+\.md/.test(line))
      .map((line) => line.replace(/^remote: \S+ \(\w+\): /, '').trim());
    assert.equal(said.length, 4, stderr);
    assert.equal(new Set(said.slice(0, 3)).size, 1, stderr);
    assert.match(stderr, /4 files were refused/);
  });

  /** The manual names each refusal by these words. */
  function saysAsManual(said: string, words: string): void {
    assert.ok(manual.includes(words), `the manual has "${words}"`);
    assert.ok(said.includes(words), `"${words}" in ${said}`);
  }

  it('for each file at once: claimed by an agent, mirrored, shown to more people, out of reach, and no file', async () => {
    const agent = await server.host.principal('Scribe', 'agent');
    await server.host.grant('editor', { type: 'principal', id: agent }, 'handbook');
    const claimed = await server
      .as(await server.host.key(agent))
      .post('/v1/claims', { location: 'handbook/claimed.md' });
    assert.equal(claimed.status, 201);
    await mine.git('mv', 'handbook/plans', 'handbook/open');
    await symlink('a.md', join(mine.folder, 'handbook/link.md'));
    await mine.commit({ 'handbook/claimed.md': 'x', 'handbook/docs/m.md': 'x', 'hidden/h.md': 'x' });
    await mine.commit({ 'handbook/docs/new.md': 'x' });
    const { stderr } = await mine.push();
    const about = (path: string): string => stderr.split('\n').find((line) => line.includes(`remote: ${path} (`)) ?? '';
    saysAsManual(about('handbook/claimed.md'), ' has claimed it');
    assert.match(
      about('handbook/claimed.md'),
      /Scribe has .* until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\. Wait until then, or ask Scribe/,
    );
    for (const path of ['handbook/docs/m.md', 'handbook/docs/new.md']) saysAsManual(about(path), 'Its folder mirrors ');
    saysAsManual(about('handbook/open/p.md'), 'Moved there, more people would reach it');
    assert.match(about('handbook/open/p.md'), /Cy would be reader .* Move it in the console/);
    saysAsManual(about('hidden/h.md'), 'You may not write here, or there is nothing here');
    saysAsManual(about('handbook/link.md'), 'It is a symbolic link');
    assert.match(stderr, /! \[remote rejected\] main -> main \(6 files were refused\)/);
  });

  it('where the workspace has no room left for it', async () => {
    await mine.commit({ 'handbook/more.md': 'x'.repeat(9000) });
    const { storageQuota } = readPolicy(server.host.workspace.journal.reader);
    await perform(server.host.workspace, operator, changePolicy, { storageQuota: 5000 });
    const { stderr } = await mine.push();
    await perform(server.host.workspace, operator, changePolicy, { storageQuota });
    assert.match(stderr, /remote: The workspace has no room left for this\. An admin can raise the quota\./);
    assert.match(stderr, /! \[remote rejected\] main -> main \(the workspace has no room left for this\)/);
    assert.ok(manual.includes('the quota'));
  });

  it('where the disk of the service is low, also where it becomes so between the two requests', async () => {
    await mine.commit({ 'handbook/more.md': 'x' });
    const body = await mine.makePush(await mine.git('rev-parse', 'origin/main'));
    free = 10;
    server.host.clock.advance(1000);
    const { stderr } = await mine.push();
    const late = await post(body, bob.key);
    free = 1e12;
    server.host.clock.advance(1000);
    assert.match(
      stderr,
      /remote: The disk of the service is full, so nothing is written just now\. Try again in 30 seconds/,
    );
    assert.match(
      late,
      /^200 .*The disk of the service is full.*Try again in 30 seconds.*ng refs\/heads\/main the disk/s,
    );
  });

  it('where valid commands are followed by more than a push may have, packed small', async () => {
    await mine.commit({ 'handbook/more.md': 'x' });
    const body = await mine.makePush(await mine.git('rev-parse', 'origin/main'));
    const bomb = gzipSync(Buffer.concat([body, Buffer.alloc(70 * 1024 * 1024)]));
    assert.ok(bomb.length < 100_000);
    assert.match(await post(bomb, bob.key, { 'content-encoding': 'gzip' }), /^413 A push has at most [0-9]+ bytes/);
  });

  async function post(body: Buffer, key: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const response = await fetch(`${server.url()}/git-receive-pack`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/x-git-receive-pack-request',
        ...headers,
      },
      body: new Uint8Array(body),
    });
    return `${response.status} ${await response.text()}`;
  }

  it('where a reader pushes', async () => {
    const eve = await server.cloner('reader', 'rules', 'eve');
    const reading = await WorkTree.clone(server.folder, eve.url, 'reading');
    await reading.commit({ 'rules/r.md': 'mine now' });
    const { code, stderr } = await reading.push();
    assert.equal(code, 1);
    // Unpacking is work, so nobody asks which files they are.
    assert.match(stderr, /You may read here, and change nothing\. Ask an approver for the role of an editor\./i);
    assert.match(stderr, /! \[remote rejected\] main -> main/);
  });

  it('where an entry has a mode that git does not write, in the line or in a folder below', async () => {
    const folder = join(tree.folder, '.git');
    const oid = putObject(folder, 'blob', 'x');
    for (const mode of ['100666', '100664', '0100644', '100600']) {
      const made = putTree(folder, [{ name: 'a.md', mode, oid }]);
      const above = putTree(folder, [{ name: 'below', mode: '40000', oid: made }]);
      for (const whole of [made, above]) {
        const commit = await tree.git('commit-tree', whole, '-p', 'HEAD', '-m', 'Modes');
        const { code, stderr } = await tree.push('origin', `${commit}:main`);
        assert.equal(code, 1, mode);
        assert.match(stderr, /a mode that git does not write|not of the form that git gives it/i, mode);
      }
    }
  });

  it('where nothing can be reached, like an unknown workspace', async () => {
    const nobody = await server.cloner(null);
    const { stderr } = await tree.push(nobody.url, 'main');
    const other = await tree.push(nobody.url.replace('/acme', '/nowhere'), 'main');
    assert.match(stderr, /not found|returned error: 404/);
    assert.equal(other.stderr.replaceAll('/nowhere', '/acme'), stderr);
  });

  it('where it is to anything but main', async () => {
    await tree.git('tag', '-f', 'v1');
    await tree.git('branch', '-f', 'other');
    const { code, stderr } = await tree.push('origin', 'v1', 'other', ':refs/heads/gone');
    assert.equal(code, 1);
    assert.match(stderr, /! \[remote rejected\] v1 -> v1 \(tags are not kept, only main\)/);
    assert.match(stderr, /! \[remote rejected\] other -> other \(only main can be pushed to, .* HEAD:main\)/);
    assert.match((await tree.push('origin', ':main')).stderr, /! \[remote rejected\] main \(main cannot be deleted\)/);
    assert.match((await tree.push('--atomic', 'origin', 'main', 'v1')).stderr, /does not support --atomic push/);
  });

  it('where it would replace commits, also by force', async () => {
    await mine.git('commit', '-q', '--amend', '-m', 'Other');
    assert.match((await mine.push()).stderr, /! \[rejected\] +main -> main \(non-fast-forward\)/);
    const { stderr } = await mine.push('--force', 'origin', 'main');
    assert.match(stderr, /! \[remote rejected\] main -> main \(non-fast-forward\)/);
    assert.match(stderr, /remote: A push only adds commits to main.* git pull --rebase/);
    await tree.git('checkout', '-q', '--orphan', 'fresh');
    await tree.git('commit', '-qm', 'Unrelated');
    assert.match((await tree.push('-f', 'origin', 'fresh:main')).stderr, /\(non-fast-forward\)/);
    await tree.git('checkout', '-q', 'main');
  });

  it('and each refusal is in the audit log', () => {
    const refused = server
      .records()
      .filter(({ record }) => record.action === 'repository.push' && record.outcome === 'refused');
    assert.ok(refused.length >= 10, `${refused.length} refusals`);
    for (const { record } of refused) assert.equal(record.interface, 'git');
  });
});
