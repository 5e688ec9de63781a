import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eraseSteps } from '../../lib/erase/erase-step.js';
import { makeWorkbench, Workbench } from '../support/faults/workbench.js';
import { bundleProgram } from '../support/processes/bundle-program.js';
import { makeTestRandomness, operator } from '../support/store/service.js';
import { eraseAt, liveDocuments } from '../support/store/erase-at.js';
import { findTraces, requireSound } from '../support/store/evidence.js';
import { leaveDerived, requireOthersLeft, type LeftDerived } from './leave-derived.js';
import { erased, makeWorld, secrets } from '../support/store/erased-world.js';

const rebuilding = fileURLToPath(new URL('./dying-rebuild.js', import.meta.url));

describe('an erase with a killed process', function () {
  this.timeout(120_000);
  let program: string;
  let world: string;
  let others: Record<string, string>;
  let derived: LeftDerived;

  before(async () => {
    program = await bundleProgram(new URL('./dying-eraser.js', import.meta.url));
    const bench = await makeWorkbench();
    await makeWorld(bench.workspace, bench.clock);
    others = await liveDocuments(bench.workspace);
    delete others[erased];
    derived = await leaveDerived(bench);
    const { number, current } = bench.workspace.view(operator).document(erased)!;
    const texts = join(bench.paths.texts, String(number));
    await bench.close();
    // As after an end of the process in the middle of making a text.
    mkdirSync(texts);
    for (const ending of ['text', 'text.new', 'tries'])
      writeFileSync(join(texts, `${current.blobOid}.1.text.${ending}`), secrets.words.join(' '));
    world = bench.files.dataFolder ?? '';
  });

  after(() => rm(world, { recursive: true, force: true }));

  // Nothing is copied elsewhere; stored/follow-erase has what is.
  const own = eraseSteps.filter((step) => step !== 'uncopied');
  const steps = { auto: ['accepted', ...own], never: ['rewritten', 'moved', 'copied', 'swept'] } as const;
  for (const git of ['auto', 'never'] as const) {
    for (const step of steps[git]) {
      it(`at the step "${step}" is finished at the next start (git: ${git})`, async () => {
        const dataFolder = await mkdtemp(join(tmpdir(), 'cartulary-erase-'));
        const bench = new Workbench(dataFolder, { git, randomness: makeTestRandomness('after') });
        try {
          await cp(world, dataFolder, { recursive: true });
          const child = spawn(process.execPath, [program, dataFolder, git, step, erased], {
            stdio: ['ignore', 'ignore', 'inherit'],
          });
          const [, signal] = (await once(child, 'close')) as [number | null, string | null];
          assert.equal(signal, 'SIGKILL');

          const workspace = await bench.open();
          const [receipt] = workspace.journal.reader.erasures.list(Number.MAX_SAFE_INTEGER, 10);
          assert.ok(receipt !== undefined);
          assert.equal((await workspace.eraser.finished(receipt.id)).phase, 'final');
          assert.deepEqual(bench.reported, []);
          assert.deepEqual(findTraces(dataFolder), []);
          requireOthersLeft(bench.paths.derived, derived);
          assert.deepEqual(await liveDocuments(workspace), others);
          await requireSound(workspace, dataFolder, git === 'auto');
          const records = workspace.journal.reader.audit.after(0, 10_000);
          assert.equal(records.filter(({ action }) => action === 'document.erased').length, 1);
        } finally {
          await bench.remove();
        }
      });
    }
  }
});

describe('a rebuild with a killed process', function () {
  this.timeout(60_000);

  it('leaves no rows beside the sidecar in which an erase would find nothing', async () => {
    const bench = await makeWorkbench();
    const dataFolder = bench.files.dataFolder ?? '';
    try {
      await bench.actor.create('quokka-dossier.md', 'quincunxsecret');
      await bench.close();
      const child = spawn(process.execPath, [rebuilding, dataFolder], { stdio: ['ignore', 'ignore', 'inherit'] });
      const [, signal] = (await once(child, 'close')) as [number | null, string | null];
      assert.equal(signal, 'SIGKILL');
      assert.ok(existsSync(`${bench.paths.sidecar}.scratch`), 'it was in the middle of it');
      await bench.open();
      const { id } = await eraseAt(bench.workspace, 'quokka-dossier.md');
      await bench.workspace.eraser.finished(id);
      assert.deepEqual(findTraces(dataFolder, ['quokka-dossier', 'quincunxsecret']), []);
      const beside = (await readdir(bench.paths.folder)).filter((name) => name.includes('scratch'));
      assert.deepEqual(beside, []);
    } finally {
      await bench.remove();
    }
  });
});
