import { RepositoryUnreadable } from '../errors.js';
import type { Oid } from './objects.js';

/** The parts of a commit that a rewrite needs. */
export interface CommitLinks {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly message: string;
}

const blankLine = '\n\n';

/** Reads these parts of a commit's bytes. @throws RepositoryUnreadable when they are no commit */
export function readLinks(bytes: Buffer): CommitLinks {
  const { end, parents } = findParents(bytes);
  const blank = bytes.indexOf(blankLine, end);
  return {
    tree: treeOf(bytes),
    parents,
    message: blank < 0 ? '' : bytes.toString('utf8', blank + blankLine.length),
  };
}

/** The name of a commit's root folder: its bytes begin with it. */
export function treeOf(bytes: Buffer): Oid {
  return bytes.toString('latin1', 5, 45);
}

/**
 * A commit's bytes with another tree, parent and message. Authors, times and all other headers stay byte by byte as
 * they are.
 * @throws RepositoryUnreadable when the bytes are no commit
 */
export function rewriteCommit(
  bytes: Buffer,
  { tree, parent, message }: { readonly tree: Oid; readonly parent: Oid | null; readonly message: string },
): Buffer {
  const { end } = findParents(bytes);
  const blank = bytes.indexOf(blankLine, end);
  if (blank < 0) throw new RepositoryUnreadable('An object is no well-formed commit.');
  const links = parent === null ? `tree ${tree}\n` : `tree ${tree}\nparent ${parent}\n`;
  return Buffer.concat([
    Buffer.from(links, 'latin1'),
    bytes.subarray(end, blank + blankLine.length),
    Buffer.from(message),
  ]);
}

/** Finds the end of the lines of tree and parents, which come first in a commit. */
function findParents(bytes: Buffer): { readonly end: number; readonly parents: readonly Oid[] } {
  if (bytes.toString('latin1', 0, 5) !== 'tree ' || bytes[45] !== 0x0a) {
    throw new RepositoryUnreadable('An object is no well-formed commit.');
  }
  const parents: Oid[] = [];
  let end = 46;
  while (bytes.toString('latin1', end, end + 7) === 'parent ' && bytes[end + 47] === 0x0a) {
    parents.push(bytes.toString('latin1', end + 7, end + 47));
    end += 48;
  }
  return { end, parents };
}
