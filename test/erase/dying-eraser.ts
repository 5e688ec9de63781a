/**
 * A program that erases a document and kills itself at a step. It leaves the state of a power cut, except for the
 * disk's own cache.
 */
import { makeTestRandomness } from '../support/store/service.js';
import { Workbench } from '../support/faults/workbench.js';
import { eraseAt } from '../support/store/erase-at.js';

const [dataFolder = '', git = 'auto', lastStep = '', ...locations] = process.argv.slice(2);
const bench = new Workbench(dataFolder, {
  git: git === 'never' ? 'never' : 'auto',
  randomness: makeTestRandomness('dying'),
  onEraseStep: (step) => {
    if (step === lastStep) process.kill(process.pid, 'SIGKILL');
  },
});
const workspace = await bench.open();
bench.clock.advance(3_600_000);
for (const location of locations) await eraseAt(workspace, location);
if (lastStep === 'accepted') process.kill(process.pid, 'SIGKILL');
const [newest] = workspace.journal.reader.erasures.list(Number.MAX_SAFE_INTEGER, 1);
await workspace.eraser.finished(newest?.id ?? '');
