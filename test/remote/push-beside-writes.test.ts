import assert from 'node:assert/strict';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { WorkTree } from '../support/git/work-tree.js';

/** Tries of each pusher. */
const tries = 5;

describe('A push beside a program that writes all the time', function () {
  this.timeout(120_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;
  let writes = 0;

  before(async () => {
    server = await openRemoteServer();
    ada = await server.cloner('approver', '', 'Ada');
    await server.as(ada.key).create('handbook/a.md', 'first');
  });
  after(() => server.close());

  for (const [whose, role, folder] of [
    ['an editor of the folder', 'editor', 'handbook'],
    ['an approver of the root', 'approver', ''],
  ] as const) {
    it(`gets through each time, of ${whose}, and the next pull has everything`, async () => {
      const { url } = await server.cloner(role, folder, whose);
      const tree = await WorkTree.clone(server.folder, url, whose.replaceAll(' ', '-'));
      for (let nth = 1; nth <= tries; nth += 1) {
        await write();
        await tree.git('pull', '-q', '--rebase');
        await write();
        await tree.commit({ [`handbook/${role}-${nth}.md`]: `${nth}` }, `Number ${nth}`);
        await write();
        const { code, stderr } = await tree.push();
        assert.equal(code, 0, stderr);
        const made = await server.as(ada.key).get(`/v1/documents/handbook/${role}-${nth}.md`);
        assert.equal(made.json.content, `${nth}`);
      }
      await tree.git('pull', '-q', '--rebase');
      assert.equal(await tree.git('rev-list', '--count', 'origin/main..HEAD'), '0');
      assert.equal((await tree.git('ls-files', 'handbook/log')).split('\n').length, writes);
      assert.equal(await tree.git('fsck', '--strict', '--no-dangling'), '');
    });
  }

  it('gets through for each of six pushers at once', async () => {
    const trees = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const { url } = await server.cloner('editor', 'handbook', `Pusher ${index}`);
        return WorkTree.clone(server.folder, url, `pusher-${index}`);
      }),
    );
    for (const [index, tree] of trees.entries()) await tree.commit({ [`handbook/of-${index}.md`]: 'mine' });
    await write();
    const pushed = await Promise.all(trees.map((tree) => tree.push()));
    assert.deepEqual(
      pushed.map(({ code }) => code),
      [0, 0, 0, 0, 0, 0],
      pushed.map(({ stderr }) => stderr).join('\n'),
    );
    for (const tree of trees) {
      await tree.git('pull', '-q', '--rebase');
      assert.equal(await tree.git('rev-list', '--count', 'origin/main..HEAD'), '0');
      assert.match(await tree.git('ls-files', 'handbook'), /of-0\.md\n.*of-5\.md/s);
    }
  });

  it('is refused where the file itself was written meanwhile', async () => {
    const { url } = await server.cloner('editor', 'handbook', 'Late');
    const tree = await WorkTree.clone(server.folder, url, 'stale');
    await server.as(ada.key).put('/v1/documents/handbook/a.md', { content: 'by Ada' });
    await tree.commit({ 'handbook/a.md': 'over it' });
    const { code, stderr } = await tree.push();
    assert.equal(code, 1);
    assert.match(stderr, /handbook\/a\.md .*changed here/);
    assert.equal((await server.as(ada.key).get('/v1/documents/handbook/a.md')).json.content, 'by Ada');
  });

  it('goes on from nothing that was served before the history began anew', async () => {
    const { id, url, key } = await server.cloner('editor', 'handbook', 'Narrowed');
    await server.host.grant('reader', { type: 'principal', id }, 'private');
    await server.as(ada.key).create('private/p.md', 'private');
    const tree = await WorkTree.clone(server.folder, url, 'narrowed');
    const base = await tree.head();
    await tree.commit({ 'handbook/narrowed.md': 'mine' });
    const whole = await tree.makePush(base);
    await server.host.revoke('reader', { type: 'principal', id }, 'private');
    await write();
    const answer = await fetch(`${server.url()}/git-receive-pack`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-git-receive-pack-request' },
      body: new Uint8Array(whole),
    });
    assert.match(await answer.text(), /ng refs\/heads\/main fetch first/);
    assert.notEqual((await tree.push()).code, 0);
    assert.equal((await server.as(ada.key).get('/v1/documents/handbook/narrowed.md')).status, 404);
  });

  /** A small write into another file of the same reach: one between any two steps of git. */
  async function write(): Promise<void> {
    writes += 1;
    await server.as(ada.key).create(`handbook/log/${writes}.md`, 'x');
  }
});
