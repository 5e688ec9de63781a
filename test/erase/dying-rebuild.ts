/** A program that begins to rebuild the rows and kills itself in the middle. */
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { Workbench } from '../support/faults/workbench.js';
import { makeTestRandomness, operator } from '../support/store/service.js';

const [dataFolder = ''] = process.argv.slice(2);
const bench = new Workbench(dataFolder, { randomness: makeTestRandomness('dying') });
// It learns of the commits as they are read, and ends with the first one.
await rebuild(await bench.open(), operator, { onProgress: () => void process.kill(process.pid, 'SIGKILL') });
