import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { eraseAt } from '../support/store/erase-at.js';
import { runClient } from '../support/git/git-client.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { WorkTree } from '../support/git/work-tree.js';

const refused = /remote: This push brings back old history of main\. .* git reset --hard origin\/main/;

describe('A clone with history from before its repository was made again', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;
  let ben: RemotePerson;

  beforeEach(async () => {
    server = await openRemoteServer();
    ada = await server.cloner('approver');
    ben = await server.cloner('editor', 'handbook');
    await server.host.grant('reader', { type: 'principal', id: ben.id }, 'private');
    await create('handbook/a.md', 'first');
    await create('handbook/b.md', 'second');
  });
  afterEach(() => server.close());

  it('cannot bring back what was erased by merging it', async () => {
    await create('handbook/secret.md', 'the secret text');
    await create('handbook/c.md', 'third');
    const tree = await WorkTree.clone(server.folder, ben.url, 'erased');
    await server.host.workspace.eraser.finished((await eraseAt(server.host.workspace, 'handbook/secret.md')).id);
    const fetched = await runClient(tree.folder, ['fetch']);
    assert.match(fetched.stderr, /^remote: The history of this repository has started over/m, 'they share commits');
    await mergeOld(tree);
    await tree.commit({ 'handbook/secret.md': null, 'handbook/mine.md': 'mine' }, 'Without it');
    const pushed = await tree.push();
    assert.match(pushed.stderr, refused);
    assert.match(pushed.stderr, /! \[remote rejected\] main -> main \(this push brings back old history of main\)/);
    assert.doesNotMatch(servedObjects(), /the secret text|secret\.md/);
    await tree.reset();
    await tree.commit({ 'handbook/mine.md': 'mine' });
    assert.equal((await tree.push()).code, 0, 'the remedy helps');
    assert.match(servedObjects(), /mine/);
  });

  it('cannot bring back what may not be read any more by merging it', async () => {
    await create('private/p.md', 'the private text');
    await create('handbook/c.md', 'third');
    const tree = await WorkTree.clone(server.folder, ben.url, 'revoked');
    await server.host.revoke('reader', { type: 'principal', id: ben.id }, 'private');
    await mergeOld(tree);
    await tree.commit({ 'private/p.md': null, 'handbook/mine.md': 'mine' }, 'Without it');
    assert.match((await tree.push()).stderr, refused);
    assert.doesNotMatch(servedObjects(), /the private text|p\.md/);
  });

  it('also not where the new history is a part of the old one', async () => {
    await create('handbook/secret.md', 'the secret text');
    const linear = await WorkTree.clone(server.folder, ben.url, 'linear');
    const merging = await WorkTree.clone(server.folder, ben.url, 'merging');
    await server.host.workspace.eraser.finished((await eraseAt(server.host.workspace, 'handbook/secret.md')).id);
    const anew = await WorkTree.clone(server.folder, ben.url, 'anew');
    assert.equal(await linear.git('rev-parse', 'HEAD~1'), await anew.head());
    await linear.commit({ 'handbook/mine.md': 'mine' });
    assert.match((await linear.push()).stderr, refused);
    await create('handbook/c.md', 'third');
    await mergeOld(merging);
    await merging.commit({ 'handbook/secret.md': null, 'handbook/mine.md': 'mine' }, 'Without it');
    assert.match((await merging.push()).stderr, refused);
    assert.doesNotMatch(servedObjects(), /the secret text|secret\.md/);
    assert.equal((await server.as(ada.key).get('/v1/documents/handbook/secret.md')).status, 404);
  });

  it('keeps the ids of a merge that brings nothing beside main, and only of such a one', async () => {
    const tree = await WorkTree.clone(server.folder, ben.url, 'merges');
    await tree.commit({ 'handbook/a.md': 'by Ben' });
    await create('handbook/c.md', 'third');
    await mergeOld(tree);
    assert.equal((await tree.push()).code, 0);
    await tree.git('fetch', '-q');
    assert.equal(await tree.git('rev-parse', 'origin/main'), await tree.head());
    await tree.commit({ 'handbook/a.md': 'a draft that main never has' });
    await tree.commit({ 'handbook/a.md': 'final' });
    await create('handbook/d.md', 'fourth');
    await mergeOld(tree);
    assert.match((await tree.push()).stderr, /Your changes are in main.* git pull --rebase/);
    await tree.git('pull', '-q', '--rebase');
    assert.doesNotMatch(servedObjects(), /a draft that main never has/);
    assert.equal(await tree.git('show', 'HEAD:handbook/a.md'), 'final');
    assert.equal(await tree.git('rev-list', '--count', 'origin/main..HEAD'), '0');
  });

  /** Each in a second of its own, so that the commits are the same in any life. */
  async function create(path: string, content: string): Promise<void> {
    server.host.clock.advance(1000);
    await server.as(ada.key).create(path, content);
  }

  /** Every object of the repository that is served to Ben, packed or loose. */
  function servedObjects(): string {
    const repository = join(server.host.dataFolder ?? '', 'acme', 'derived', ben.id, 'repository.git');
    const parameters = ['-C', repository, 'cat-file', '--batch-all-objects', '--batch'];
    return execFileSync('git', parameters, { encoding: 'latin1' });
  }

  async function mergeOld(tree: WorkTree): Promise<void> {
    await tree.git('fetch', '-q');
    await tree.git('merge', '-q', '--no-edit', 'origin/main');
  }
});
