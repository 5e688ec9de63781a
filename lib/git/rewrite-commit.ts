import { RepositoryUnreadable } from './errors.js';
import type { Oid } from './objects.js';

/**
 * A commit's bytes with another tree, parent and message. Authors, times and whatever else its header has stay byte by
 * byte as they are.
 * @throws RepositoryUnreadable when the bytes are no commit
 */
export function rewriteCommit(
  bytes: Buffer,
  { tree, parent, message }: { readonly tree: Oid; readonly parent: Oid | null; readonly message: string },
): Buffer {
  const end = bytes.indexOf('\n\n');
  if (end < 0) throw new RepositoryUnreadable('An object is no well-formed commit.');
  const rest = bytes
    .toString('utf8', 0, end)
    .split('\n')
    .filter((line) => !line.startsWith('tree ') && !line.startsWith('parent '));
  const head = [`tree ${tree}`, ...(parent === null ? [] : [`parent ${parent}`]), ...rest];
  return Buffer.from(`${head.join('\n')}\n\n${message}`, 'utf8');
}
