import { WorkInterrupted } from '../errors.js';
import type { GitProgram } from '../program/git-program.js';
import { runGit } from '../program/git-program.js';
import { blameDisk } from './blame-disk.js';

/** One thread and fixed numbers: the same packs give the same pack. */
const settings = [
  'pack.threads=1',
  'pack.windowMemory=64m',
  'core.bigFileThreshold=1m',
  'core.compression=1',
  'pack.indexVersion=2',
].flatMap((setting) => ['-c', setting]);

/**
 * Writes one pack with all objects of some packs.
 * @param names as in `pack-<name>.pack`
 * @param target the folder for the new pack
 * @returns its name
 * @throws RepositoryUnreadable with git's message
 */
export async function joinPacks(
  program: GitProgram,
  repository: string,
  names: readonly string[],
  target: string,
  signal: AbortSignal,
): Promise<string> {
  const parameters = [...settings, 'pack-objects', '--stdin-packs', '--quiet', '--delta-base-offset'];
  const ended = await runGit(program, repository, [...parameters, '--window=10', '--depth=50', `${target}/pack`], {
    input: names.map((name) => `pack-${name}.pack\n`).join(''),
    signal,
  });
  if (ended.code === null) throw new WorkInterrupted(`git was ended while it joined packs: ${ended.stderr.trim()}`);
  const name = ended.stdout.trim();
  if (ended.code !== 0 || !/^[0-9a-f]{40,64}$/.test(name)) {
    throw blameDisk(`git cannot join packs: ${ended.stderr.trim()}`);
  }
  return name;
}
