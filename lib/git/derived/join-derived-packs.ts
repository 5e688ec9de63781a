import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from '../../domain/describe-error.js';
import { GitBoundMet, WorkInterrupted } from '../errors.js';
import type { ForeignExtent } from '../program/git-bounds.js';
import type { ForeignGit } from '../program/git-program.js';
import { startGit } from '../program/start-git.js';
import { blameDisk } from './blame-disk.js';

/** One thread and fixed numbers: the same packs give the same pack. */
const settings = [
  'pack.threads=1',
  'pack.windowMemory=64m',
  'core.bigFileThreshold=1m',
  'core.compression=1',
  'pack.indexVersion=2',
].flatMap((setting) => ['-c', setting]);

/** Characters of git's output that are kept: the name of a pack. */
const maxSaid = 200;

/**
 * Writes one pack with all objects of some packs. Some of them came by pushes, so a stranger chose their deltas.
 * @param names as in `pack-<name>.pack`
 * @param target the folder for the new pack
 * @param signal ends git
 * @returns its name
 * @throws RepositoryUnreadable with git's message; GitBoundMet
 */
export async function joinPacks(
  program: ForeignGit,
  repository: string,
  names: readonly string[],
  target: string,
  signal: AbortSignal,
): Promise<string> {
  const parameters = [...settings, 'pack-objects', '--stdin-packs', '--quiet', '--delta-base-offset'];
  const git = startGit(program, repository, [...parameters, '--window=10', '--depth=50', `${target}/pack`], signal);
  let said = '';
  git.stdout.on('data', (piece: Buffer) => (said = (said + piece.toString('latin1')).slice(-maxSaid)));
  git.stdin.end(names.map((name) => `pack-${name}.pack\n`).join(''));
  try {
    await git.requireSuccess('git cannot join packs');
  } catch (error) {
    if (error instanceof WorkInterrupted || error instanceof GitBoundMet) throw error;
    throw blameDisk(describeError(error));
  }
  const name = said.trim();
  if (!/^[0-9a-f]{40,64}$/.test(name)) throw blameDisk('git cannot join packs: it names none that it wrote');
  return name;
}

/** Bytes of an object in the index of a pack. */
const indexedBytes = 28;

/** How much some packs hold, by the sizes of their files. @param names as for `joinPacks` */
export async function measurePacks(folder: string, names: readonly string[]): Promise<ForeignExtent> {
  let [objects, bytes] = [0, 0];
  for (const name of names) {
    bytes += (await stat(join(folder, `pack-${name}.pack`))).size;
    objects += Math.floor((await stat(join(folder, `pack-${name}.idx`))).size / indexedBytes);
  }
  return { objects, bytes };
}
