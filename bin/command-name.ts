import { fstatSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findSystemSettings } from '../lib/config/environment.js';

let known: string | undefined;

/**
 * How this program is called here: `cartulary` where a shell finds this very file under that name, and otherwise
 * `npx cartulary`.
 */
export function commandName(): string {
  known ??= isOnPath(process.argv[1] ?? '') ? 'cartulary' : 'npx cartulary';
  return known;
}

/** Puts that name into the commands of a text. They begin with a backquote and the plain name. */
export const nameCommands = (text: string): string => text.replaceAll('`cartulary ', `\`${commandName()} `);

function isOnPath(program: string): boolean {
  const own = resolveFile(program);
  // npx adds the folders of packages, for the programs that it starts alone.
  const folders = findSystemSettings()
    .path.split(delimiter)
    .filter((folder) => folder !== '' && !folder.endsWith(join('node_modules', '.bin')));
  const found = folders.map((folder) => resolveFile(join(folder, 'cartulary'))).find((file) => file !== undefined);
  return found !== undefined && found === own;
}

/** The file behind all links; undefined where there is none. */
function resolveFile(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Whether the output of this process goes into systemd's journal, where it stays and others read it. A program that
 * was started from such a process may have the variable too, and another output.
 */
export function isKeptInJournal(): boolean {
  const { journalStream } = findSystemSettings();
  if (journalStream === '') return false;
  const { dev, ino } = fstatSync(1);
  return journalStream === `${dev}:${ino}`;
}
