/**
 * Upgrades the file of a workspace in a process of its own, which a test ends or hinders. Says each step before it
 * begins, with no buffer between.
 */
import { writeSync } from 'node:fs';
import { schemaPath } from '../../lib/app/upgrade.js';
import { openSidecar } from '../../lib/sidecar/sidecar.js';

const say = (line: string): void => void writeSync(1, `${line}\n`);
const sidecar = openSidecar(process.argv[2] ?? '', schemaPath('sidecar'), true, () => ({
  onStep: (number) => say(`step ${number}`),
  onEnd: () => say('done'),
}));
sidecar.close();
