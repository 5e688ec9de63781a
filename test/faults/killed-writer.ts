/** What a writer leaves that was killed: its last lines, and programs that it had started. */
import { readdirSync, readFileSync } from 'node:fs';
import { until } from '../support/until.js';
import type { Line } from './writer.js';

/**
 * A git program that was joining packs goes on for a moment when its server is killed. What it leaves is swept at an
 * opening after its end; so that each comparison can demand a clean folder, it is waited for. (Linux; elsewhere it is
 * not looked for.)
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
