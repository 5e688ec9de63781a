import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** A file or folder that another account may have put there. The message is a sentence. */
export class ForeignFile extends Error {
  override readonly name = 'ForeignFile';
}

/**
 * What lies in the folder where a command is given decides only where this account, or root, put it there. Commands are
 * given in any folder, and what another account left there would lead them to a place of its own.
 * @throws ForeignFile
 */
export function requireOwn(path: string, { uid, mode }: Pick<Stats, 'uid' | 'mode'>): void {
  const own = process.geteuid?.();
  const isWrittenByAll = (mode & 0o002) !== 0;
  if (own === undefined || ((uid === own || uid === 0) && !isWrittenByAll)) return;
  const whose = isWrittenByAll ? 'can be written by every account' : 'belongs to another account';
  throw new ForeignFile(`${path} ${whose} of this machine.`);
}

/**
 * The text of a file of this account, or of root. Never waits for a FIFO.
 * @throws ForeignFile; the system's error where it cannot be read
 */
export function readOwn(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    requireOwn(file, fstatSync(descriptor));
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}
