import assert from 'node:assert/strict';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { fsck, git } from '../support/git/fixture.js';
import { reachableFrom, readHead, readStore, textsOf } from '../support/git/read-store.js';
import { WorkTree } from '../support/git/work-tree.js';

describe('A push that sends more than its commits need', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;
  let bob: RemotePerson;
  let tree: WorkTree;

  before(async () => {
    server = await openRemoteServer();
    ada = await server.cloner('approver');
    bob = await server.cloner('editor', 'handbook');
    await server.as(ada.key).create('handbook/a.md', 'first');
    tree = await WorkTree.clone(server.folder, bob.url, 'tree');
  });
  after(() => server.close());

  it('leaves nothing in its repository that no commit reaches', async () => {
    const hash = (type: string, input: string | Buffer): string =>
      git(tree.folder, ['hash-object', '-w', '-t', type, '--stdin'], input).toString().trim();
    const blob = hash('blob', 'smuggled');
    const folder = hash('tree', Buffer.concat([Buffer.from('100644 x.md\0'), Buffer.from(blob, 'hex')]));
    const commit = git(tree.folder, ['-c', 'user.name=x', '-c', 'user.email=x@y', 'commit-tree', folder], 'beside')
      .toString()
      .trim();
    const head = await tree.commit({ 'handbook/a.md': 'second', 'handbook/b.md': 'pushed' });
    assert.match(await post([commit]), /ok refs\/heads\/main/);
    const texts = await requireReached(head);
    assert.ok(texts.has('pushed') && texts.has('second') && texts.has('first'));
    assert.ok(!texts.has('smuggled'));
  });

  it('keeps what a merged branch needs, and goes on from it', async () => {
    await tree.reset();
    await tree.git('checkout', '-q', '-b', 'side');
    await tree.commit({ 'handbook/c.md': 'on the side' });
    await tree.git('checkout', '-q', 'main');
    await tree.commit({ 'handbook/d.md': 'on main' });
    await tree.git('merge', '-q', '--no-edit', 'side');
    assert.match(await post([]), /ok refs\/heads\/main/);
    const merged = await requireReached(await tree.head());
    assert.ok(merged.has('on the side') && merged.has('on main'));
    await tree.reset();
    // A content that the served repository has already: the push sends no blob.
    await tree.commit({ 'handbook/d.md': null, 'handbook/e.md': 'on the side' });
    assert.match(await post([]), /ok refs\/heads\/main/);
    await requireReached(await tree.head());
  });

  async function post(surplus: readonly string[]): Promise<string> {
    const body = await tree.makePush(await tree.git('rev-parse', 'origin/main'), undefined, surplus);
    const response = await fetch(`${server.url()}/git-receive-pack`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bob.key}`, 'content-type': 'application/x-git-receive-pack-request' },
      body: new Uint8Array(body),
    });
    return response.text();
  }

  /** What lies in the repository that Bob is served. */
  async function requireReached(head: string): Promise<Set<string>> {
    const { path } = await server.host.workspace.derived.prepare(bob.id);
    assert.equal(readHead(path), head, 'the pushed commits are the head');
    const store = readStore(path);
    assert.deepEqual(new Set(store.keys()), reachableFrom(store, head));
    assert.equal(fsck(path), '');
    return textsOf(store, store.keys());
  }
});
