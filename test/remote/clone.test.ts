import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git, runClient } from '../support/git/git-client.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';

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

  it('only with a key', async () => {
    const { code, stderr } = await runClient(server.folder, ['clone', '-q', server.url(), 'nothing']);
    assert.equal(code, 128);
    assert.match(stderr, /could not read Username|Authentication failed/);
  });
});
