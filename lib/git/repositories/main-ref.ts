import { setTimeout as delay } from 'node:timers/promises';
import { mainRef } from './create-repository-files.js';
import { RepositoryUnreadable, asUnreadable, systemErrorCode } from '../errors.js';
import { orAbsent, writeAll } from '../file-system.js';
import type { OpenFile } from '../file-system.js';
import { isOid } from '../objects/objects.js';
import type { Oid } from '../objects/objects.js';
import type { RepositoryFolder } from './repository-folder.js';

/** How often main's lock is tried again while git holds it, and after how long (ms). */
const lockTries = 40;
const lockPause = 25;

/**
 * The commit of main; null before the first one.
 * @throws RepositoryUnreadable when main does not hold a commit's name.
 */
export async function readMain(folder: RepositoryFolder): Promise<Oid | null> {
  try {
    const loose = await orAbsent(folder.fs.readFile(folder.at(...mainRef.split('/'))));
    const text = loose === undefined ? await readPackedMain(folder) : loose.toString('latin1').trim();
    if (text === undefined) return null;
    if (isOid(text)) return text;
  } catch (error) {
    throw asUnreadable(error, `${mainRef} cannot be read`);
  }
  throw new RepositoryUnreadable(`${mainRef} names no commit.`);
}

/**
 * Moves main, durably. It takes git's own lock (`main.lock`), so that a git program packing refs at that moment cannot
 * lose the move.
 */
export async function moveMain(folder: RepositoryFolder, to: Oid): Promise<void> {
  const target = folder.at(...mainRef.split('/'));
  const lock = `${target}.lock`;
  await folder.discardAgain();
  await folder.fs.mkdir(folder.at('refs', 'heads'));
  const file = await openLock(folder, lock);
  try {
    try {
      await writeAll(file, Buffer.from(`${to}\n`, 'latin1'));
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await folder.discard(lock);
    throw error;
  }
  await folder.publish(lock, target);
}

async function readPackedMain(folder: RepositoryFolder): Promise<string | undefined> {
  const packed = await orAbsent(folder.fs.readFile(folder.at('packed-refs')));
  const line = packed
    ?.toString('utf8')
    .split('\n')
    .find((each) => each.endsWith(` ${mainRef}`));
  return line?.split(' ', 1)[0];
}

async function openLock(folder: RepositoryFolder, lock: string): Promise<OpenFile> {
  for (let tried = 1; ; tried++) {
    try {
      return await folder.fs.openNew(lock, 0o600);
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST' || tried === lockTries) throw error;
      await delay(lockPause);
    }
  }
}
