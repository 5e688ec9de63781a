import { dirname } from 'node:path';
import { findClosedFolder, nameOwner, nameSelf } from './obstacle.js';

/** A fact, and the way out. Both are sentences. */
export interface Explained {
  readonly message: string;
  readonly remedy: string;
}

/**
 * Words for a file that this account may not read.
 * @param command the words after `cartulary`
 */
export function explainUnreadable(path: string, command: string): Explained {
  const [owner, self] = [nameOwner(path), nameSelf()];
  const unharmed = 'Nothing is known to be damaged.';
  if (owner === self) {
    const message = `${path} cannot be read as ${self}, its owner: its mode forbids it.`;
    return { message, remedy: `Allow it: chmod u+rwX '${path}'. ${unharmed}` };
  }
  const message = `${path} cannot be read as ${self}: it belongs to ${owner}.`;
  if (nameOwner(dirname(path)) === self) {
    return { message, remedy: `Give it back to ${self}: sudo chown ${self} '${path}'. ${unharmed}` };
  }
  return { message, remedy: `Run this as ${owner}: ${runAs(owner, command)}. ${unharmed}` };
}

/** The line of a shell that runs a command of this program as another account. */
export function runAs(account: string, command: string): string {
  return `sudo -u ${account.startsWith('#') ? `'${account}'` : account} cartulary ${command}`;
}

/**
 * Explains why this account cannot use a data folder.
 * @param command the words after `cartulary`
 * @returns undefined where it can, or where nothing is there
 */
export function explainClosedFolder(folder: string, command: string): Explained | undefined {
  const closed = findClosedFolder(folder);
  if (closed === undefined) return undefined;
  return explainUnreadable(closed, command);
}
