import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { encodePacket, flushPacket } from '../../lib/git/serving/packets.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { git as packObjects } from '../support/git/fixture.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { Actor } from '../support/store/actor.js';
import { eraseAt } from '../support/store/erase-at.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { WorkTree } from '../support/git/work-tree.js';

describe('A push that names a content without sending it', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;

  beforeEach(async () => {
    server = await openRemoteServer();
    const actor = new Actor(server.host.workspace, operator.principalId);
    await actor.create('mine/a.md', 'mine');
    await actor.create('secret/plan.md', 'the secret plan');
    await actor.create('other/o.md', 'other');
  });
  afterEach(() => server.close());

  it('is taken when the person may read it, and also after what was hidden from the person was erased', async () => {
    const bob = await server.cloner('editor', 'mine');
    const { command, pack } = await makePush(bob, 'mine/a.md');
    await eraseAt(server.host.workspace, 'other/o.md');
    assert.match(await send(bob, [command, pack]), /ok refs\/heads\/main/);
    assert.equal(await copyOf(bob), 'mine');
  });

  it('is refused when the grant was revoked since the clone', async () => {
    const bob = await server.cloner('editor', 'mine');
    const subject = { type: 'principal', id: bob.id } as const;
    await server.host.grant('reader', subject, 'secret');
    const { command, pack } = await makePush(bob, 'secret/plan.md');
    await server.host.revoke('reader', subject, 'secret');
    assert.match(await send(bob, [command, pack]), /ng refs\/heads\/main fetch first/);
    assert.equal(await copyOf(bob), undefined);
  });

  it('is refused when the person was an approver of the root only until the pack was on its way', async () => {
    const ada = await server.cloner('approver');
    const subject = { type: 'principal', id: ada.id } as const;
    await server.cloner('approver', '', 'another');
    await server.host.grant('editor', subject, 'mine');
    const { command, pack } = await makePush(ada, 'secret/plan.md');
    const { derived } = pathsOf(server.host.dataFolder ?? '', 'acme');
    const pieces = async function* (): AsyncGenerator<Buffer> {
      yield command;
      yield pack.subarray(0, 12);
      await until('the push has a folder', async () => {
        const names = await readdir(join(derived, '.pushes')).catch(() => []);
        return names.length > 0;
      });
      await server.host.revoke('approver', subject, '');
      yield pack.subarray(12);
    };
    assert.match(await send(ada, pieces()), /ng refs\/heads\/main fetch first/);
    assert.equal(await copyOf(ada), undefined);
  });

  it('is refused when it was erased, however far the erase is', async () => {
    const bob = await server.cloner('editor', '');
    const { command, pack } = await makePush(bob, 'secret/plan.md');
    await eraseAt(server.host.workspace, 'secret/plan.md');
    assert.match(await send(bob, [command, pack]), /ng refs\/heads\/main fetch first/);
    assert.equal(await copyOf(bob), undefined);
  });

  /** The start and the end of a push that puts the content of one place at `mine/copy.md`. */
  async function makePush(person: RemotePerson, from: string): Promise<{ readonly command: Buffer; pack: Buffer }> {
    const tree = await WorkTree.clone(server.folder, person.url, `clone-${person.id}`);
    const head = await tree.head();
    const blob = await tree.git('rev-parse', `HEAD:${from}`);
    await tree.git('update-index', '--add', '--cacheinfo', `100644,${blob},mine/copy.md`);
    const root = await tree.git('write-tree');
    const commit = await tree.git('commit-tree', root, '-p', head, '-m', 'Copy');
    const objects = [commit, root, await tree.git('rev-parse', `${root}:mine`)];
    const line = `${head} ${commit} refs/heads/main\0 report-status side-band-64k`;
    return {
      command: Buffer.concat([encodePacket(line), flushPacket]),
      pack: packObjects(tree.folder, ['pack-objects', '--stdout', '-q'], `${objects.join('\n')}\n`),
    };
  }

  async function send({ key }: RemotePerson, pieces: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<string> {
    const response = await fetch(`${server.url()}/git-receive-pack`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`git:${key}`).toString('base64')}`,
        'content-type': 'application/x-git-receive-pack-request',
      },
      body: ReadableStream.from(pieces),
      duplex: 'half',
    });
    return response.text();
  }

  async function copyOf({ key }: RemotePerson): Promise<unknown> {
    return (await server.as(key).get('/v1/documents/mine/copy.md')).json.content;
  }
});

describe('A push that is broken off while its contents are being stored', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let bob: RemotePerson;

  beforeEach(async () => {
    server = await openRemoteServer();
    await new Actor(server.host.workspace, operator.principalId).create('mine/a.md', 'mine');
    bob = await server.cloner('editor', 'mine');
  });
  afterEach(() => server.close());

  it('stores them again after each of several erases, and is taken', async () => {
    const tree = await commitMany();
    const pushing = tree.push();
    for (let erases = 0; erases < 3; erases += 1) await breakOff();
    const { code, stderr } = await pushing;
    assert.equal(code, 0, stderr);
    const { json } = await server.as(bob.key).get('/v1/documents/mine/199.md');
    assert.equal(json.content, '199');
  });

  it('is taken when its client was killed, and sends it again', async () => {
    const tree = await commitMany();
    const head = await tree.head();
    const killed = new AbortController();
    const { stages } = server.host.workspace;
    const open = stages.open.bind(stages);
    // The pack has come whole by then.
    const opened = new Promise<void>((resolve) => {
      stages.open = (owner) => {
        resolve();
        return open(owner);
      };
    });
    const first = fetch(`${server.url()}/git-receive-pack`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`git:${bob.key}`).toString('base64')}`,
        'content-type': 'application/x-git-receive-pack-request',
      },
      body: await tree.makePush(await tree.git('rev-parse', 'origin/main')),
      signal: killed.signal,
    });
    first.catch(() => undefined);
    await opened;
    killed.abort();
    const { code, stderr } = await tree.push();
    assert.equal(code, 0, stderr);
    assert.equal(await tree.git('rev-parse', 'origin/main'), head);
    const { json } = await server.as(bob.key).get('/v1/documents/mine/199.md');
    assert.equal(json.content, '199');
  });

  /** Many small contents, and a large one, which is stored apart from them. */
  async function commitMany(): Promise<WorkTree> {
    const tree = await WorkTree.clone(server.folder, bob.url, 'many');
    const small = Object.fromEntries(Array.from({ length: 800 }, (_, n) => [`mine/${n}.md`, `${n}`]));
    await tree.commit({ ...small, 'mine/large.bin': Buffer.alloc(3 * 1024 * 1024, 'x') });
    return tree;
  }

  /** Does what an erase does first of all. It has an effect from the moment when the push has something open. */
  async function breakOff(): Promise<void> {
    const { stages } = server.host.workspace;
    await until('the push was broken off', async () => {
      const nothingWasOpen = stages.breakOff([]).then(() => false);
      return Promise.race([nothingWasOpen, new Promise<true>((resolve) => setImmediate(() => resolve(true)))]);
    });
  }
});
