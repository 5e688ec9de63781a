import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { parseLocation } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import type { DerivedRepositories } from '../../lib/derived/derived-repositories.js';
import { git, runClient } from '../support/git/git-client.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { makeTestRandomness, operator, TestClock } from '../support/store/service.js';
import { Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { findTraces } from '../support/store/evidence.js';

describe('Pushed commits become those of the repository that they were pushed to', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ben: RemotePerson;
  let clone: string;
  let copies: string[];

  beforeEach(async () => {
    copies = [];
    server = await openRemoteServer();
    ben = await server.cloner('editor', 'pub');
    const ada = await server.cloner('approver');
    await server.as(ada.key).create('pub/a.md', 'first');
    await server.as(ada.key).create('sec/b.md', 'hidden');
    await git(server.folder, ['clone', '-q', ben.url, 'clone']);
    clone = join(server.folder, 'clone');
  });
  afterEach(async () => {
    await server.close();
    for (const copy of copies) await rm(copy, { recursive: true, force: true });
  });

  it('and the next fetch brings only what others wrote', async () => {
    const head = await commit('second');
    assert.equal((await push()).code, 0);
    const { derived } = server.host.workspace;
    assert.equal((await derived.prepare(ben.id)).head, head);
    assert.deepEqual(await readdir(join(server.host.dataFolder ?? '', 'acme', 'derived', '.pushes')), []);
  });

  it('but not where a changed document was deleted meanwhile, and made again with the same text', async () => {
    const store = new Client(server.host.workspace, ben.id);
    meanwhile(async () => {
      await store.delete('pub/a.md');
      await store.create('pub/a.md', 'first');
    });
    await commit('second');
    const { stderr } = await push();
    assert.match(stderr, /Run git pull --rebase, then push again/);
    await pulled();
    assert.equal((await push()).code, 0);
    assert.deepEqual(await pulled(), { 'pub/a.md': 'second' });
  });

  it('but not where a changed document was moved meanwhile, and one with the same text has its place', async () => {
    const store = new Client(server.host.workspace, ben.id);
    meanwhile(async () => {
      await store.rename('pub/a.md', 'moved.md', true);
      await store.create('pub/a.md', 'first');
    });
    await commit('second');
    const { stderr } = await push();
    assert.match(stderr, /Run git pull --rebase, then push again/);
    await pulled();
    assert.equal((await push()).code, 0);
    assert.deepEqual(await pulled(), { 'pub/a.md': 'second', 'pub/moved.md': 'first' });
  });

  it('and every place between is remembered, so that nothing of it stays when it leaves the reach', async () => {
    const { derived } = server.host.workspace;
    const ada = server.as((await server.cloner('approver')).key);
    await ada.create('between/keep.md', 'kept');
    await server.host.grant('editor', { type: 'principal', id: ben.id }, 'between');
    await git(clone, ['pull', '-q']);
    for (const [from, to] of [
      ['pub/a.md', 'between/a.md'],
      ['between/a.md', 'pub/b.md'],
    ] as const) {
      await git(clone, ['mv', from, to]);
      await git(clone, ['commit', '-q', '-m', 'Move']);
    }
    const { code, stderr } = await push();
    assert.equal(code, 0, stderr);
    await server.host.revoke('editor', { type: 'principal', id: ben.id }, 'between');
    const { path } = await derived.prepare(ben.id);
    assert.equal(await git(path, ['log', '--format=', '--name-only', 'main', '--', 'between']), '');
  });

  describe('when the files could not be written at first', () => {
    it('the next fetch takes them over', async () => {
      const head = await pushInVain();
      const { derived } = server.host.workspace;
      await assert.rejects(derived.prepare(ben.id), Refusal, 'also this one fails');
      await clear();
      assert.equal((await derived.prepare(ben.id)).head, head);
      assert.deepEqual(await readdir(join(server.host.dataFolder ?? '', 'acme', 'derived', '.pushes')), []);
    });

    it('they are given up after that, and main is fetched without them', async () => {
      const head = await pushInVain();
      const { derived } = server.host.workspace;
      for (const attempt of ['one', 'two']) await assert.rejects(derived.prepare(ben.id), Refusal, attempt);
      await clear();
      const served = await derived.prepare(ben.id);
      assert.notEqual(served.head, head);
      assert.equal(await git(served.path, ['show', 'main:pub/a.md']), 'second');
      assert.deepEqual(await readdir(join(server.host.dataFolder ?? '', 'acme', 'derived', '.pushes')), []);
    });

    /** Where the next state is written. With a folder there, it cannot be. */
    const obstacle = () => join(server.host.dataFolder ?? '', 'acme', 'derived', ben.id, 'state.new', 'in-the-way');

    const clear = () => rm(join(obstacle(), '..'), { recursive: true });

    async function pushInVain(): Promise<string> {
      meanwhile(() => mkdir(obstacle(), { recursive: true }));
      const head = await commit('second');
      const { code, stderr } = await push();
      assert.equal(code, 0, stderr);
      assert.match(stderr, /git pull --rebase/);
      return head;
    }
  });

  it('also when the process ended after the push was recorded', async () => {
    const copying = copyAt('recorded');
    const head = await commit('second');
    assert.equal((await push()).code, 0);
    await withCopy(await copying, async (_, derived) => {
      const { path, head: found } = await derived.prepare(ben.id);
      assert.equal(found, head);
      assert.equal(await git(path, ['fsck', '--strict']), '');
    });
  });

  it('and go when the process ended before that', async () => {
    const before = await git(clone, ['rev-parse', 'HEAD']);
    const copying = copyAt('announced');
    await commit('second');
    assert.equal((await push()).code, 0);
    const folder = await copying;
    const pushes = join(folder, 'acme', 'derived', '.pushes');
    assert.equal((await readdir(pushes)).length, 1);
    await withCopy(folder, async (_, derived) => {
      assert.equal((await derived.prepare(ben.id)).head, before);
      assert.deepEqual(await readdir(pushes), []);
    });
  });

  it('one push after the other: the later one is taken, and its commits do not become the head', async () => {
    const { derived } = server.host.workspace;
    const prepared = await derived.prepare(ben.id);
    const late = await derived.openQuarantine(prepared);
    const head = await commit('second');
    assert.equal((await push()).code, 0);
    const pushed = { head: 'f'.repeat(40), onto: prepared.head, packs: [], isKept: true };
    const announced = await derived.announce(prepared, late, pushed);
    assert.equal(await announced?.settle(), head, 'nothing is announced for a later process');
    await late.drop();
    assert.equal(existsSync(late.folder), false);
  });

  const ends = {
    'the process ended before they were taken over': false,
    'the repository was deleted as well': true,
  };
  for (const [end, isDeleted] of Object.entries(ends))
    it(`and none of them is left after an erase, also where ${end}`, async () => {
      const copying = copyAt('recorded');
      await commit('the quokkasecret of the push');
      assert.equal((await push()).code, 0);
      const folder = await copying;
      if (isDeleted) await rm(join(folder, 'acme', 'derived', ben.id), { recursive: true });
      const documentId = server.host.workspace.view(operator).document(parseLocation('pub/a.md'))?.id ?? '';
      assert.notDeepEqual(findTraces(folder, ['quokkasecret'], []), []);
      await withCopy(folder, async (service) => {
        const workspace = service.find('acme');
        assert.ok(workspace !== undefined);
        const { id } = await eraseAt(workspace, 'pub/a.md');
        assert.equal((await workspace.eraser.finished(id)).phase, 'final');
        assert.deepEqual(findTraces(folder, ['quokkasecret', 'a.md', documentId], []), []);
      });
    });

  const push = () => runClient(clone, ['push', 'origin', 'main']);

  async function commit(text: string): Promise<string> {
    await writeFile(join(clone, 'pub', 'a.md'), text);
    await git(clone, ['commit', '-q', '-a', '-m', text]);
    return git(clone, ['rev-parse', 'HEAD']);
  }

  /** Copies the data folder at a moment of the next push. */
  function copyAt(moment: Moment): Promise<string> {
    const { derived } = server.host.workspace;
    const announce = derived.announce.bind(derived);
    return new Promise((resolve) => {
      const copy = async (): Promise<void> => {
        const folder = await mkdtemp(join(tmpdir(), 'cartulary-copied-'));
        copies.push(folder);
        await cp(server.host.dataFolder ?? '', folder, { recursive: true, filter: (path) => !path.endsWith('.sock') });
        resolve(folder);
      };
      derived.announce = async (...asked: Parameters<DerivedRepositories['announce']>) => {
        const announced = await announce(...asked);
        if (announced === null) return null;
        if (moment === 'announced') await copy();
        return {
          settle: async () => {
            if (moment === 'recorded') await copy();
            return announced.settle();
          },
        };
      };
    });
  }

  /** Does something after the next push was begun. */
  function meanwhile(work: () => Promise<unknown>): void {
    const { derived } = server.host.workspace;
    const open = derived.openQuarantine.bind(derived);
    derived.openQuarantine = async (prepared) => {
      derived.openQuarantine = open;
      await work();
      return open(prepared);
    };
  }

  /** The text of each file after the client has fetched as it is told to. */
  async function pulled(): Promise<Record<string, string>> {
    const { code, stderr } = await runClient(clone, ['pull', '-q', '--rebase']);
    assert.equal(code, 0, stderr);
    const files = (await git(clone, ['ls-files'])).split('\n');
    return Object.fromEntries(
      await Promise.all(files.map(async (file) => [file, await readFile(join(clone, file), 'utf8')])),
    );
  }

  /** What a new process serves from copied files. */
  async function withCopy<Result>(
    folder: string,
    work: (service: Service, derived: DerivedRepositories) => Promise<Result>,
  ): Promise<Result> {
    const service = await Service.open({
      dataFolder: folder,
      git: 'auto',
      clock: new TestClock(),
      randomness: makeTestRandomness('copied'),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
    });
    try {
      const workspace = service.find('acme');
      assert.ok(workspace !== undefined);
      return await work(service, workspace.derived);
    } finally {
      await service.close();
    }
  }
});

/** Moments at which the data folder is copied: a process that ends then leaves the same files. */
type Moment = 'announced' | 'recorded';
