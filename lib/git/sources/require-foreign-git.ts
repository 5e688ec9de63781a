import { boundsFor, type ForeignExtent } from '../program/git-bounds.js';
import { boundGit, requireGit, type ForeignGit } from '../program/git-program.js';

/**
 * The git program for foreign objects. This is the one way to it for imports, restores, bundles, clones and mirrors.
 * @param purpose goes on after "is needed to"
 * @param extent of the objects, as far as it is known before git reads them
 * @param leastTime seconds of a processor for the smallest ones
 * @throws GitProgramMissing when there is none, or it is too old
 */
export async function requireForeignGit(
  purpose: string,
  extent: ForeignExtent,
  leastTime: number,
): Promise<ForeignGit> {
  return boundGit(await requireGit(purpose), boundsFor(extent, leastTime));
}
