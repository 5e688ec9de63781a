import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { operatorId } from '../../lib/domain/principal.js';
import { openSidecar } from '../../lib/sidecar/sidecar.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { WorkspaceUnsound } from '../../lib/journal/recover.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { fsck, git } from '../support/git/fixture.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { makeTestRandomness, TestClock } from '../support/store/service.js';
import { until } from '../support/until.js';
import { makeWorkbench, readAll, type Workbench } from '../support/faults/workbench.js';

for (const program of ['auto', 'never'] as const) {
  describe(`opening a workspace after a fault (${program === 'auto' ? 'with' : 'without'} the git program)`, () => {
    let bench: Workbench;
    beforeEach(async () => {
      bench = await makeWorkbench({ git: program });
    });
    afterEach(() => bench.remove());

    const repository = (...args: string[]): string => git(bench.paths.repository, args).toString().trim();

    /** The commit of a push. */
    const commitOnTop = (parent: string): string =>
      repository(
        '-c',
        'user.name=Ada',
        '-c',
        'user.email=ada@acme',
        'commit-tree',
        `${parent}^{tree}`,
        '-p',
        parent,
        '-m',
        'pushed',
      );

    /** Names of the objects with a file of their own. */
    function looseObjects(): string[] {
      const objects = join(bench.paths.repository, 'objects');
      return readdirSync(objects)
        .filter((name) => /^[0-9a-f]{2}$/.test(name))
        .flatMap((name) => readdirSync(join(objects, name)).map((rest) => name + rest));
    }

    async function stage(text: string): Promise<string> {
      const held: string[] = [];
      const { oid } = await bench.workspace.staging.stage(
        (async function* () {
          yield Buffer.from(large(text));
        })(),
        held,
      );
      return oid;
    }

    it('drops large uploads without a version, and keeps the others', async () => {
      await bench.actor.create('kept.txt', large('kept'));
      const abandoned = await stage('abandoned');
      const again = await stage('kept'); // the same content once more, and then the process ended
      assert.deepEqual(looseObjects().sort(), [abandoned, again].sort());
      await bench.reopen();
      assert.deepEqual(looseObjects(), [again]);
      assert.deepEqual(bench.workspace.journal.reader.objects.staged(), []);
      assert.equal(await readAll(bench.actor, 'kept.txt'), large('kept'));
      assert.equal(fsck(bench.paths.repository), '');
    });

    it('forgets an upload that was noted and never stored', async () => {
      await bench.workspace.journal.write({
        run: ({ tables, now }) => tables.objects.stage('1'.repeat(40), 2_000_000, now),
      });
      await bench.reopen();
      assert.deepEqual(bench.workspace.journal.reader.objects.staged(), []);
    });

    it('sets main again where it is missing or names nothing, and reports it', async () => {
      await bench.actor.create('a.md', 'a');
      await bench.close();
      const head = repository('rev-parse', 'refs/heads/main');
      const file = join(bench.paths.repository, 'refs', 'heads', 'main');
      for (const damage of [() => rm(file), () => writeFile(file, ''), () => writeFile(file, 'nonsense\n')]) {
        bench.reported.length = 0;
        await damage();
        await bench.open();
        assert.match(bench.reported.map(({ what }) => what).join('\n'), /Main of acme .* is set again/);
        assert.equal(await bench.actor.read('a.md'), 'a');
        await bench.close();
        assert.equal(repository('rev-parse', 'refs/heads/main'), head);
      }
    });

    it('does not report a main that lags behind, and sets one again that is further back in our own history', async () => {
      for (const name of ['a', 'b', 'c']) {
        await bench.actor.create(`${name}.md`, name);
        await bench.workspace.checkpointer.run();
      }
      const [newest, , oldest] = repository('rev-list', 'main').split('\n');
      await bench.reopen();
      assert.deepEqual(bench.reported, []);
      await bench.close();
      repository('update-ref', 'refs/heads/main', oldest ?? '');
      await bench.open();
      assert.match(bench.reported.map(({ what }) => what).join('\n'), /stood further back/);
      assert.equal(await bench.actor.read('c.md'), 'c');
      assert.equal(repository('rev-parse', 'main'), newest);
    });

    it('refuses a foreign main, names the remedy, and the remedy works', async () => {
      await bench.actor.create('a.md', 'a');
      await bench.close();
      const ours = repository('rev-parse', 'refs/heads/main');
      const theirs = commitOnTop(ours);
      repository('update-ref', 'refs/heads/main', theirs);
      const refusal: unknown = await bench.open().catch((error: unknown) => error);
      assert.ok(refusal instanceof WorkspaceUnsound);
      assert.ok(refusal.message.includes(theirs) && refusal.message.includes(ours), refusal.message);
      assert.equal(repository('rev-parse', 'refs/heads/main'), theirs, 'it was touched');
      const ways = [...refusal.message.matchAll(/"git ([^"]+)"/g)].map(([, way]) => (way ?? '').split(' '));
      assert.equal(ways.length, 2);
      for (const way of ways) repository(...way);
      await bench.open();
      assert.equal(await bench.actor.read('a.md'), 'a');
      await bench.actor.update('a.md', 'b');
      await bench.close();
      assert.equal(repository('rev-parse', 'pushed'), theirs);
      assert.equal(fsck(bench.paths.repository), '');
    });

    it('refuses to begin again where the sidecar is missing', async () => {
      await bench.close();
      await rm(bench.paths.sidecar);
      await assert.rejects(bench.open(), /has no .*sidecar\.sqlite\. Bring it back from a backup/);
      assert.equal(existsSync(bench.paths.sidecar), false);
    });

    it('refuses a repository with a history unknown to the sidecar', async () => {
      await bench.actor.create('a.md', 'a');
      await bench.close();
      await rm(bench.paths.sidecar);
      openSidecar(bench.paths.sidecar, bench.files.migrations).close();
      await assert.rejects(bench.open(), /not from this service: its sidecar stands at nothing/);
    });

    it('refuses a sidecar that is older than the repository', async () => {
      await bench.actor.create('a.md', 'a');
      await bench.close();
      const older = `${bench.paths.folder}.older`;
      await cp(bench.paths.sidecar, older);
      await bench.open();
      await bench.actor.create('b.md', 'b');
      await bench.close();
      await cp(older, bench.paths.sidecar);
      await rm(older);
      await assert.rejects(bench.open(), WorkspaceUnsound);
    });

    it('refuses when the newest commit or its tree is nowhere, and opens when the files are back', async () => {
      await bench.actor.create('a.md', 'a');
      await bench.close();
      const packs = join(bench.paths.repository, 'objects', 'pack');
      const safe = `${bench.paths.folder}.packs`;
      await cp(packs, safe, { recursive: true });
      for (const name of readdirSync(packs)) await rm(join(packs, name));
      const refusal: unknown = await bench.open().catch((error: unknown) => error);
      assert.ok(refusal instanceof WorkspaceUnsound);
      assert.match(refusal.message, /neither in its repository nor in its sidecar/);
      await cp(safe, packs, { recursive: true });
      await rm(safe, { recursive: true });
      await bench.open();
      assert.equal(await bench.actor.read('a.md'), 'a');
    });

    it('puts main back when it is moved meanwhile, deletes nothing, and reports it', async () => {
      await bench.actor.create('a.md', 'a');
      await bench.workspace.checkpointer.run();
      const ours = repository('rev-parse', 'refs/heads/main');
      const theirs = commitOnTop(ours);
      repository('update-ref', 'refs/heads/main', theirs);
      await bench.actor.create('b.md', 'b');
      await bench.workspace.checkpointer.run();
      assert.match(
        bench.reported.map(({ what }) => what).join('\n'),
        new RegExp(`moved to ${theirs} by somebody else`),
      );
      assert.equal(repository('rev-parse', 'refs/heads/main'), bench.workspace.journal.state.head);
      assert.equal(repository('log', '-1', '--format=%s', theirs), 'pushed');
      assert.deepEqual(repository('ls-tree', '-r', '--name-only', 'main').split('\n'), ['a.md', 'b.md']);
      await bench.reopen();
    });

    it('sweeps answers that no client can request any more', async () => {
      await bench.actor.create('a.md', 'a', 'key-1');
      bench.clock.advance(20 * 60 * 60 * 1000);
      await bench.actor.create('b.md', 'b', 'key-2');
      bench.clock.advance(6 * 60 * 60 * 1000);
      await bench.reopen();
      await bench.workspace.journal.drained();
      const { idempotency } = bench.workspace.journal.reader;
      assert.equal(idempotency.find(operatorId, 'document.create', 'key-1'), undefined);
      assert.notEqual(idempotency.find(operatorId, 'document.create', 'key-2'), undefined);
    });
  });
}

describe('a service with a workspace that cannot be opened', () => {
  let dataFolder: string;
  const reported: string[] = [];
  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'cartulary-faults-'));
    reported.length = 0;
  });
  afterEach(() => rm(dataFolder, { recursive: true, force: true }));

  it('serves the others, answers UNAVAILABLE for it, and serves it when its fault is gone', async () => {
    const first = await open();
    for (const name of ['good', 'bad']) {
      await new Actor(await first.addWorkspace(name), operatorId).create('a.md', name);
    }
    await first.close();
    const { repository, sidecar } = pathsOf(dataFolder, 'bad');
    await writeFile(`${sidecar}.safe`, '');
    await cp(sidecar, `${sidecar}.safe`);
    await writeFile(sidecar, 'This is no database, however long one looks at it. '.repeat(100));

    const service = await open();
    try {
      assert.match(reported.join('\n'), /The workspace bad cannot be served/);
      assert.deepEqual(service.names(), ['bad', 'good']);
      const good = service.find('good');
      assert.ok(good !== undefined);
      assert.equal(await new Actor(good, operatorId).read('a.md'), 'good');
      assert.equal(await outcomeOf(Promise.resolve().then(() => service.find('bad'))), 'UNAVAILABLE');
      assert.equal(service.find('none'), undefined);
      await assert.rejects(service.addWorkspace('bad'), /There is a workspace/);

      await cp(`${sidecar}.safe`, sidecar);
      const findBad = (): Workspace | undefined => {
        try {
          return service.find('bad');
        } catch {
          return undefined; // not yet
        }
      };
      const bad = await until('it is served again', findBad);
      assert.equal(await new Actor(bad, operatorId).read('a.md'), 'bad');
      assert.ok(existsSync(repository));
    } finally {
      await service.close();
    }
    assert.equal(fsck(repository), '');
  });

  const open = (): Promise<Service> =>
    Service.open({
      dataFolder,
      git: 'auto',
      clock: new TestClock(),
      randomness: makeTestRandomness(),
      onFault: (what) => void reported.push(what),
    });
});

const large = (text: string): string => text.padEnd(1_500_000, `${text} `);
