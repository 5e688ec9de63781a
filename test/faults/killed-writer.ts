/** The remains of a killed writer: its last lines, and the programs that it had started. */
import { readdirSync, readFileSync } from 'node:fs';
import { until } from '../support/until.js';
import type { Line } from './writer.js';

/**
 * A git program that joins packs goes on for a moment after its server is killed. An opening after its end sweeps its
 * files. The wait for that end lets each comparison demand a clean folder. (Linux; other systems skip it.)
 */
export async function orphansGone(folder: string): Promise<void> {
  const isAlive = (): boolean =>
    readdirSync('/proc').some((name) => {
      try {
        return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(`--git-dir=${folder}`);
      } catch {
        return false; // it has just ended
      }
    });
  if (process.platform !== 'linux') return;
  await until('git has ended that a killed server had started', () => !isAlive());
}

/** The whole lines; the last one may have been cut off by the kill. */
export function readLines(file: string): Line[] {
  const text = readFileSync(file, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}
