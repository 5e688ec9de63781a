import assert from 'node:assert/strict';
import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { WorkTree } from './work-tree.js';

describe('A push is refused in the words of git', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;
  let tree: WorkTree;
  let head: string | null;

  before(async () => {
    server = await openRemoteServer();
    ada = await server.cloner('approver');
    await server.as(ada.key).create('handbook/a.md', 'first');
    await server.as(ada.key).create('b.md', 'other');
    tree = await WorkTree.clone(server.folder, ada.url, 'tree');
    head = server.head;
  });
  after(() => server.close());
  beforeEach(() => tree.reset());
  afterEach(() => assert.equal(server.head, head, 'nothing was written'));

  it('where it holds what is no plain file, with the file, the reason and the remedy', async () => {
    await tree.write('run.sh', '#!/bin/sh\n');
    await chmod(join(tree.folder, 'run.sh'), 0o755);
    await symlink('b.md', join(tree.folder, 'link.md'));
    await tree.git('add', '-A');
    await tree.git('update-index', '--add', '--cacheinfo', `160000,${head ?? ''},module`);
    await tree.git('commit', '-qm', 'Unfit');
    const { code, stderr } = await tree.push();
    console.log(code, stderr);
    assert.equal(code, 1);
    assert.match(stderr, /! \[remote rejected\] main -> main \(3 files were refused\)/);
  });
  it('where it is to another ref', async () => {
    await tree.git('tag', '-f', 'v1');
    console.log((await tree.push('origin', 'v1', 'main:other', ':main', 'main')).stderr);
    console.log((await tree.push('--atomic', 'origin', 'v1', 'main:other')).stderr);
    console.log((await tree.push('origin', ':main')).stderr);
  });
  it('non-ff', async () => {
    await tree.git('commit', '-q', '--amend', '-m', 'Other');
    console.log((await tree.push()).stderr);
    console.log((await tree.push('-f')).stderr);
    await tree.git('checkout', '-q', '--orphan', 'fresh');
    await tree.git('commit', '-qm', 'Other');
    console.log((await tree.push('-f', 'origin', 'fresh:main')).stderr);
  });
  it('too large', async () => {
    await tree.git('checkout', '-q', '-f', 'main');
    await tree.commit({ 'x.md': 'xx' });
    console.log((await tree.push()).stderr);
  });
});
