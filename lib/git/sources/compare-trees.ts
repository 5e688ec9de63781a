import type { Oid } from '../objects/objects.js';
import { Tree } from '../objects/tree.js';

/** A file that differs between two trees. */
export interface PathDifference {
  readonly path: readonly string[];
  /** null when it was not there before. */
  readonly before: Oid | null;
  /** null when it is not there after. */
  readonly after: Oid | null;
}

/**
 * The files that differ between two trees, in no particular order. Equal folders are not read, so the cost depends on
 * the number of changes.
 * @param load reads a tree by its oid
 */
export async function* compareTrees(
  before: Oid | null,
  after: Oid | null,
  load: (oid: Oid) => Promise<Tree>,
  path: readonly string[] = [],
): AsyncGenerator<PathDifference> {
  if (before === after) return;
  const old = before === null ? Tree.empty : await load(before);
  const present = after === null ? Tree.empty : await load(after);
  const names = new Set([
    ...[...old.entries()].map(({ name }) => name),
    ...[...present.entries()].map(({ name }) => name),
  ]);
  for (const name of names) {
    const was = old.entry(name);
    const is = present.entry(name);
    if (was?.oid === is?.oid && was?.mode === is?.mode) continue;
    const wasFolder = was?.mode === '40000' ? was.oid : null;
    const isFolder = is?.mode === '40000' ? is.oid : null;
    if (wasFolder !== null || isFolder !== null) yield* compareTrees(wasFolder, isFolder, load, [...path, name]);
    const wasFile = was === undefined || wasFolder !== null ? null : was.oid;
    const isFile = is === undefined || isFolder !== null ? null : is.oid;
    if (wasFile !== isFile) yield { path: [...path, name], before: wasFile, after: isFile };
  }
}
