import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { ArchiveRow } from '../sidecar/audit-archive-table.js';

/**
 * Whether the file of each archive is there and is the one that was written. Unlike the chain's verification it does not
 * end at the first that is not.
 * @returns those that are not, each with what is wrong with it: a sentence's end
 */
export async function checkArchives(
  folder: string,
  archives: readonly ArchiveRow[],
): Promise<{ readonly archive: ArchiveRow; readonly problem: string }[]> {
  const problems: { archive: ArchiveRow; problem: string }[] = [];
  for (const archive of archives) {
    const problem = await faultOf(join(folder, archive.file), archive.sha256);
    if (problem !== undefined) problems.push({ archive, problem });
  }
  return problems;
}

async function faultOf(file: string, sha256: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) hash.update(piece);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'is missing' : `cannot be read: ${message}`;
  }
  return hash.digest('hex') === sha256 ? undefined : 'was changed: its SHA-256 is another one';
}
