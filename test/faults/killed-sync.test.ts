import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SyncingService } from '../support/connectors/syncing-service.js';
import { countOf, leastOf, seedOf } from '../support/counts.js';
import { makeRandom } from '../support/faults/load.js';
import { requireSound } from '../support/store/evidence.js';
import { ChangingFolder } from './changing-folder.js';
import { orphansGone } from './killed-writer.js';
import type { SyncOrders } from './syncing-child.js';

const rounds = {
  auto: countOf('SYNC_KILLS', { usual: 2, campaign: 150 }),
  never: countOf('SYNC_KILLS_WITHOUT_GIT', { usual: 1, campaign: 150 }),
} as const;

describe('a service that is killed while it mirrors', () => {
  for (const git of ['auto', 'never'] as const) {
    it(`has mirrored all or nothing, says that the run was interrupted, and repeats it (${git === 'auto' ? 'with' : 'without'} the git program)`, async () => {
      const seed = seedOf(Math.floor(Math.random() * 1_000_000));
      const random = makeRandom(`${seed} ${git}`);
      const service = await SyncingService.open(undefined, { git });
      let interrupted = 0;
      let killed = 0;
      try {
        const source = new ChangingFolder(join(service.outside, 'shared'), random);
        await source.begin();
        const id = await service.connect({ kind: 'folder', settings: { path: source.path } });
        assert.deepEqual(await service.digests(), source.mirrored);
        for (let round = 0; round < rounds[git]; round += 1) {
          const context = `seed ${seed}, round ${round}`;
          const before = source.mirrored;
          await source.change();
          await service.stop();
          // A run of a quick machine can end before its kill. The first round ends at a call, which always comes.
          const diesAtCall = random() < 0.4 || round === 0;
          const state = await syncAndDie(
            service,
            {
              dataFolder: service.dataFolder,
              outside: service.outside,
              git,
              connectorId: id,
              now: service.clock.now(),
              dieAtChange: diesAtCall ? 1 + Math.floor(random() * 12) : 0,
              dieAfter: random() < 0.5,
            },
            diesAtCall ? 0 : 1 + Math.floor(random() * 150),
          );
          if (state !== 'ended') killed += 1;

          await service.start({ withConnectors: false });
          const found = await service.digests();
          const isNew = JSON.stringify(sorted(found)) === JSON.stringify(sorted(source.mirrored));
          if (!isNew) assert.deepEqual(found, before, `${context}: neither the old state nor the new one`);
          await requireSound(service.workspace, service.dataFolder, git === 'auto');
          const [last] = await service.runs(id);
          const wasLeft = last?.outcome === null;

          await service.startConnectors();
          if (wasLeft) {
            interrupted += 1;
            const repeated = await service.ended(id, last.number + 1);
            assert.equal((await service.runs(id))[1]?.outcome, 'interrupted', context);
            assert.equal(repeated.outcome, isNew ? 'unchanged' : 'changed', context);
          } else await service.sync(id);
          assert.deepEqual(await service.digests(), source.mirrored, context);
          const shown = await service.shown(id);
          assert.deepEqual([shown.state, shown.failures], ['active', 0], context);
          await requireSound(service.workspace, service.dataFolder, git === 'auto');
        }
      } finally {
        await service.close();
      }
      assert.ok(killed >= leastOf(rounds[git], 1, 5), `seed ${seed}: only ${killed} were killed`);
      assert.ok(rounds[git] < 20 || interrupted > 0, `seed ${seed}: no run was interrupted`);
    }).timeout(60_000 + rounds[git] * 20_000);
  }
});

const sorted = (record: Record<string, string | undefined>): unknown =>
  Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Lets the sync run in a process of its own, which ends at a moment of chance. @returns the last state that it told */
async function syncAndDie(service: SyncingService, orders: SyncOrders, milliseconds: number): Promise<string> {
  const [ordersFile, linesFile] = ['orders.json', 'lines'].map((name) => join(service.scratch, name));
  await writeFile(ordersFile ?? '', JSON.stringify(orders));
  const lines = openSync(linesFile ?? '', 'w');
  const program = fileURLToPath(new URL('syncing-child.js', import.meta.url));
  const child = spawn(process.execPath, [program, ordersFile ?? ''], { stdio: ['ignore', 'ignore', 'inherit', lines] });
  closeSync(lines);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const told = (): string[] =>
    readFileSync(linesFile ?? '', 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as string);
  // The time counts from the moment when the run is due: before it, nothing new can go wrong.
  let timer: NodeJS.Timeout | undefined;
  const look = setInterval(() => {
    if (milliseconds === 0 || timer !== undefined || !told().includes('due')) return;
    timer = setTimeout(() => child.kill('SIGKILL'), milliseconds);
  }, 2);
  const code = await ended;
  clearInterval(look);
  clearTimeout(timer);
  assert.ok(code === 0 || code === null, `the child ended with ${code}: ${told().join(', ')}`);
  await orphansGone(join(service.dataFolder, 'acme', 'content.git'));
  return code === 0 ? 'ended' : (told().at(-1) ?? 'opening');
}
