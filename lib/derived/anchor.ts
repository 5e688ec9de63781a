import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readHead } from '../audit/chain.js';
import type { Tables } from '../sidecar/tables.js';

const name = 'anchor';

/** A record of the audit log. */
interface Anchor {
  readonly seq: number;
  readonly hash: string;
}

/**
 * Notes in a principal's folder how far the audit log was when its repository last changed. Somebody may put an older
 * copy of the workspace's other files in place: the repository then shows versions that there never were.
 */
export async function writeAnchor(folder: string, tables: Tables): Promise<void> {
  const { seq, hash } = readHead(tables.audit);
  const file = join(folder, name);
  await writeFile(`${file}.new`, JSON.stringify({ seq, hash } satisfies Anchor), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Whether the audit log goes on from where it was when the repository last changed, as far as that is known. */
export async function isAnchored(folder: string, tables: Tables): Promise<boolean> {
  let anchor: Anchor;
  try {
    anchor = JSON.parse(await readFile(join(folder, name), 'utf8')) as Anchor;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
  if (anchor.seq > readHead(tables.audit).seq) return false;
  // Old records may have been moved into archives.
  const record = tables.audit.find(anchor.seq);
  return record === undefined || Buffer.from(record.hash).toString('hex') === anchor.hash;
}
