import { join } from 'node:path';
import { findFaultOfFile } from '../scheduling/hash-file.js';
import type { ArchiveRow } from '../sidecar/tables/audit-archive-table.js';

/**
 * Checks that the file of each archive exists and is unchanged. Unlike the chain's verification it does not end at the
 * first fault.
 * @returns the faulty archives, each with its fault: a sentence's end
 */
export async function checkArchives(
  folder: string,
  archives: readonly ArchiveRow[],
): Promise<{ readonly archive: ArchiveRow; readonly problem: string }[]> {
  const problems: { archive: ArchiveRow; problem: string }[] = [];
  for (const archive of archives) {
    const path = join(folder, archive.file);
    const problem = await findFaultOfFile(path, archive.sha256, 'was changed: its SHA-256 is another one');
    if (problem !== undefined) problems.push({ archive, problem });
  }
  return problems;
}
