import { orAbsent } from './file-system.js';
import type { GitProgram } from './git-program.js';
import { runGit } from './git-program.js';
import { listLooseObjects, loosePath } from './loose-object.js';
import type { Oid } from './objects.js';
import { choosePacksToJoin, listPacks, removePack } from './pack-list.js';
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
 */
export async function maintainWithGit(
  program: GitProgram,
  writer: RepositoryWriter,
  keep: ReadonlySet<Oid>,
  signal: AbortSignal,
): Promise<void> {
  const { folder } = writer;
  const git = async (parameters: readonly string[], input: readonly string[] = []): Promise<string[]> => {
    const { code, stdout, stderr } = await runGit(program, folder.path, [...modestly, ...parameters], {
      input: input.map((line) => `${line}\n`).join(''),
      isBackground: true,
      signal,
    });
    if (code !== 0) throw new Error(`git ${parameters.join(' ')} ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
    return stdout.split('\n').filter((line) => line !== '');
  };
  const packsPath = folder.at('objects', 'pack');
  const packObjects = async (input: readonly string[], ...options: string[]): Promise<string[]> => {
    const names = await git(['pack-objects', '-q', '--non-empty', ...options, `${packsPath}/pack`], input);
    await folder.fs.syncFolder(packsPath);
    return names.map((name) => `pack-${name}`);
  };

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
  if ((await writer.head()) !== null) await git(['commit-graph', 'write', '--reachable', '--no-progress']);
}
