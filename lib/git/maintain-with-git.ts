import { orAbsent } from './file-system.js';
import type { GitProgram } from './git-program.js';
import { runGit } from './git-program.js';
import { listLooseObjects, loosePath } from './loose-object.js';
import type { Oid } from './objects.js';
import { choosePacksToJoin, listPacks, removePack } from './pack-list.js';
import { packingFolder, type RepositoryFolder } from './repository-folder.js';
import type { RepositoryWriter } from './repository-writer.js';

/** Memory and CPU that packing may take: it is never urgent. */
export const modestly = [
  '-c',
  'pack.threads=1',
  '-c',
  'pack.windowMemory=64m',
  '-c',
  'pack.deltaCacheSize=32m',
  '-c',
  'core.bigFileThreshold=8m',
];

/**
 * Joins packs and packs loose objects with the git program, in steps that each
 * leave a sound repository, whatever is read or added meanwhile:
 *
 * 1. loose objects but those in `keep` go into a pack, and then lose their files;
 * 2. small packs are joined into one; objects that nothing refers to go along,
 *    since the choice is made by pack and never by what is reachable;
 * 3. a multi-pack index is written over the packs that stay;
 * 4. only then the joined packs are removed, their content being durable twice;
 * 5. the commit graph is written.
 *
 * `git repack --geometric` would do most of this, but it packs every loose
 * object, those in `keep` too, and does not sync folders.
 *
 * New packs are written into a folder of their own and moved from there: what a
 * process leaves that was ended is then all in there, or has one of git's
 * temporary names, which nobody else gives files beside packs.
 * @param signals `signal` ends it, as a crash would; `callOff` ends it where it
 * packs, and takes away what that left
 * @returns false when it was called off
 */
export async function maintainWithGit(
  program: GitProgram,
  writer: RepositoryWriter,
  keep: ReadonlySet<Oid>,
  { signal, callOff }: { readonly signal: AbortSignal; readonly callOff?: AbortSignal | undefined },
): Promise<boolean> {
  const { folder } = writer;
  const git = async (
    parameters: readonly string[],
    input: readonly string[] = [],
    stop: AbortSignal = signal,
  ): Promise<string[]> => {
    const { code, stdout, stderr } = await runGit(program, folder.path, [...modestly, ...parameters], {
      input: input.map((line) => `${line}\n`).join(''),
      isBackground: true,
      signal: stop,
    });
    if (code !== 0) throw new Error(`git ${parameters.join(' ')} ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
    return stdout.split('\n').filter((line) => line !== '');
  };
  const packsPath = folder.at('objects', 'pack');
  const packObjects = async (input: readonly string[], ...options: string[]): Promise<string[]> => {
    const base = folder.at(packingFolder, 'pack');
    const stop = callOff === undefined ? signal : AbortSignal.any([signal, callOff]);
    const names = await git(['pack-objects', '-q', '--non-empty', ...options, base], input, stop);
    return moveIn(folder, new Set(names.map((name) => `pack-${name}`)));
  };

  try {
    await folder.fs.mkdir(folder.at(packingFolder));
    await clearPacking(folder);
    await joinWithGit();
    return true;
  } catch (error) {
    if (callOff?.aborted !== true || signal.aborted) throw error;
    await clearPacking(folder);
    return false;
  }

  async function joinWithGit(): Promise<void> {
    const loose = (await listLooseObjects(folder)).map(({ oid }) => oid).filter((oid) => !keep.has(oid));
    if (loose.length > 0) {
      await packObjects(loose);
      for (const oid of loose) await orAbsent(folder.fs.unlink(loosePath(folder, oid)));
    }

    const packs = await listPacks(folder);
    const old = choosePacksToJoin(packs).map(({ name }) => name);
    const staying = packs.map(({ name }) => name).filter((name) => !old.includes(name));
    if (old.length > 0) {
      const joined = await packObjects(
        [...old.map((name) => `${name}.pack`), ...staying.map((name) => `^${name}.pack`)],
        '--stdin-packs',
        '--delta-base-offset',
      );
      staying.push(...joined);
    }
    if (old.length > 0 || loose.length > 0) {
      await git(
        ['multi-pack-index', 'write', '--no-progress', '--stdin-packs'],
        staying.map((name) => `${name}.idx`),
      );
      await folder.fs.syncFolder(packsPath);
    }
    for (const name of old) if (!staying.includes(name)) await removePack(folder, name);
    if (callOff?.aborted === true) return;
    if ((await writer.head()) !== null) await git(['commit-graph', 'write', '--reachable', '--no-progress']);
  }
}

/** Moves packs to the others, each index last: whoever looks for packs meanwhile sees them whole or not at all. */
async function moveIn(folder: RepositoryFolder, packs: ReadonlySet<string>): Promise<string[]> {
  const { fs } = folder;
  const files = await fs.readdir(folder.at(packingFolder));
  const endingsFirst = files.toSorted((one, other) => Number(one.endsWith('.idx')) - Number(other.endsWith('.idx')));
  for (const file of endingsFirst) {
    if (!packs.has(file.replace(/\.[a-z]+$/, ''))) continue;
    await fs.rename(folder.at(packingFolder, file), folder.at('objects', 'pack', file));
  }
  await fs.syncFolder(folder.at('objects', 'pack'));
  return [...packs];
}

/** Takes away what a packing left that was ended. No other program of ours packs meanwhile. */
async function clearPacking(folder: RepositoryFolder): Promise<void> {
  const { fs } = folder;
  for (const file of await fs.readdir(folder.at(packingFolder))) await fs.unlink(folder.at(packingFolder, file));
  const packs = folder.at('objects', 'pack');
  for (const name of await fs.readdir(packs)) {
    if (name.startsWith('tmp_')) await orAbsent(fs.unlink(folder.at('objects', 'pack', name)));
  }
  await fs.syncFolder(packs);
}
