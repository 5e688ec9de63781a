import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Randomness } from '../domain/clock.js';

const sealedEnding = '.part';

/** The folder for notes of what is followed, and for sealed files until they are stored. */
export const followFolder = (dataFolder: string): string => join(dataFolder, '.follow');

/** A path for a file that is sealed, and removed once it is stored. */
export function nameSealedFile(folder: string, randomness: Randomness): string {
  return join(folder, `${Buffer.from(randomness.bytes(8)).toString('hex')}${sealedEnding}`);
}

/** Makes the folder, and removes what an earlier process did not store to the end. */
export async function prepareFollowFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (name.endsWith(sealedEnding)) await rm(join(folder, name), { force: true });
  }
}
