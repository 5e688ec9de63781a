import { describeError } from '../../domain/describe-error.js';
import { decodeCommit } from './commit-object.js';
import { listLooseObjects } from './loose-object.js';
import type { GitObject, Oid } from './objects.js';
import { decodeIndex, listPackNames, packPath } from '../packs/pack-list.js';
import type { RepositoryFolder } from '../repositories/repository-folder.js';
import { Tree } from './tree.js';

/**
 * Finds the faults of `git fsck` without git. Every object is read, and `read` checks its hash. Trees and commits must
 * be well-formed, and every object to which they or main refer must exist.
 */
export async function checkObjects(
  folder: RepositoryFolder,
  head: () => Promise<Oid | null>,
  read: (oid: Oid) => Promise<GitObject>,
): Promise<string[]> {
  const problems: string[] = [];
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      problems.push(describeError(error));
      return undefined;
    }
  };
  const present = new Set<Oid>([Tree.empty.oid]);
  for (const name of await listPackNames(folder)) {
    const index = await attempt(async () => decodeIndex(await folder.fs.readFile(packPath(folder, name, 'idx'))));
    for (const oid of index?.oids ?? []) present.add(oid);
  }
  for (const { oid } of await listLooseObjects(folder)) present.add(oid);

  for (const oid of present)
    await attempt(async () => {
      for (const reference of referencesOf(await read(oid)))
        if (!present.has(reference)) problems.push(`Object ${oid} refers to ${reference}, which is missing.`);
    });
  const main = await attempt(head);
  if (typeof main === 'string' && !present.has(main)) problems.push(`Main stands at ${main}, which is missing.`);
  return problems;
}

function referencesOf({ type, bytes }: GitObject): Oid[] {
  if (type === 'blob') return [];
  if (type === 'commit') {
    const { tree, parents } = decodeCommit(bytes);
    return [tree, ...parents];
  }
  return [...Tree.parse(bytes).entries()]
    .filter(({ mode }) => mode !== '160000') // a submodule's commit is elsewhere
    .map(({ oid }) => oid);
}
