/** A program that begins to make rows anew and kills itself in the middle of it. */
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { Workbench } from '../support/faults/workbench.js';
import { makeTestRandomness, operator } from '../support/store/service.js';

const [dataFolder = ''] = process.argv.slice(2);
const bench = new Workbench(dataFolder, { randomness: makeTestRandomness('dying') });
// It is told of the commits as they are read, and ends with the first that it was told of.
await rebuild(await bench.open(), operator, { onProgress: () => void process.kill(process.pid, 'SIGKILL') });
