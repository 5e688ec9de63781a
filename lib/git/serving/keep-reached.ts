import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Oid } from '../objects/objects.js';
import type { StartedGit } from '../program/start-git.js';

/** The commits whose objects stay. */
export interface KeptRange {
  readonly head: Oid;
  /** The served head. Null where nothing was served. */
  readonly onto: Oid | null;
}

/** One thread and little memory, as for all of a push. */
const settings = ['pack.threads=1', 'pack.windowMemory=32m', 'pack.deltaCacheSize=16m', 'core.bigFileThreshold=1m'];

/**
 * Puts one pack in the place of those of a quarantine. It has what the new head needs and the served repository lacks.
 * All other sent objects are removed, so that a repository keeps no object that no commit reaches.
 * @param start starts git on the quarantine
 * @param folder of the quarantine
 * @returns names of the files of packs, without their endings; none when nothing is lacking
 * @throws RepositoryUnreadable with git's message; GitBoundMet
 */
export async function keepReached(
  start: (parameters: readonly string[]) => StartedGit,
  folder: string,
  { head, onto }: KeptRange,
): Promise<readonly string[]> {
  const packs = join(folder, 'objects', 'pack');
  const reached = join(folder, 'objects', 'reached');
  await mkdir(reached, { mode: 0o700 });
  const how = ['--revs', '--local', '--non-empty', '--quiet', '--delta-base-offset', '--window=10', '--depth=50'];
  const git = start([...settings.flatMap((each) => ['-c', each]), 'pack-objects', ...how, join(reached, 'pack')]);
  git.stdout.resume();
  git.stdin.end(onto === null ? `${head}\n` : `${head}\n^${onto}\n`);
  await git.requireSuccess('git cannot pack what was pushed');
  await rm(packs, { recursive: true, force: true, maxRetries: 5 });
  await rename(reached, packs);
  return (await readdir(packs)).filter((name) => name.endsWith('.pack')).map((name) => name.slice(0, -'.pack'.length));
}
