import type { ReactNode } from 'react';
import { formatSize } from '../../design/format-size.ts';

const counted = (count: number, one: string, more: string): string => (count === 1 ? `1 ${one}` : `${count} ${more}`);

/** How much an erase destroys, in a line. */
export function describeAmount({
  versions,
  comments,
  bytes,
}: {
  versions: number;
  comments: number;
  bytes: number;
}): string {
  const said = comments === 0 ? 'no comments' : counted(comments, 'comment', 'comments');
  return `${counted(versions, 'version', 'versions')}, ${said}, ${formatSize(bytes)} of content`;
}

/** What no erase reaches. */
export function Unreachable(): ReactNode {
  return (
    <ul className="plain-list">
      <li>Clones and exports that somebody has made, with git or as a zip.</li>
      <li>Backups that were made before the erase is final, and copies of the data folder.</li>
      <li>The source of a mirror: delete it there too. It does not come back here.</li>
      <li>What people downloaded, copied or remember, and the address in the history of a browser.</li>
    </ul>
  );
}
