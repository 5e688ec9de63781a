import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readHead } from '../audit/chain.js';
import type { Tables } from '../sidecar/tables.js';

/** The file's name in folders of every release. */
const name = 'anchor';

/** A record of the audit log. */
interface AuditMarker {
  readonly seq: number;
  readonly hash: string;
}

/**
 * Notes in a principal's folder how far the audit log was when its repository last changed. An operator may put an older
 * copy of the workspace's other files in place: the repository then shows versions that there never were.
 */
export async function writeAuditMarker(folder: string, tables: Tables): Promise<void> {
  const { seq, hash } = readHead(tables.audit);
  const file = join(folder, name);
  await writeFile(`${file}.new`, JSON.stringify({ seq, hash } satisfies AuditMarker), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Whether the audit log goes on from where it was when the repository last changed, as far as that is known. */
export async function followsAuditMarker(folder: string, tables: Tables): Promise<boolean> {
  let marker: AuditMarker;
  try {
    marker = JSON.parse(await readFile(join(folder, name), 'utf8')) as AuditMarker;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
  if (marker.seq > readHead(tables.audit).seq) return false;
  // Old records may have been moved into archives.
  const record = tables.audit.find(marker.seq);
  return record === undefined || Buffer.from(record.hash).toString('hex') === marker.hash;
}
