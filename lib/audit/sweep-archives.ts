import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainTables } from './export.js';

const written = /^(\d+)-(\d+)-[0-9a-f]{64}\.jsonl\.gz$/;
const temporary = /^\.\d+-\d+-[0-9a-f]{64}\.jsonl\.gz\.tmp$/;

/**
 * Removes the leftovers of an interrupted archiving: half-written files, and whole files without a row, whose records
 * all lie elsewhere. Called before any archiving.
 * @returns the names of the removed files
 */
export async function sweepArchives(tables: ChainTables, folder: string): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const listed = new Set(tables.auditArchives.list().map(({ file }) => file));
  const remains = names.filter(
    (name) => temporary.test(name) || (!listed.has(name) && written.test(name) && isElsewhere(tables, name)),
  );
  for (const name of remains) await rm(join(folder, name), { force: true });
  return remains;
}

/**
 * Whether all records of an archive exist without it. A file with the only copy of some is evidence, however it came
 * here.
 */
function isElsewhere({ audit, auditArchives }: ChainTables, file: string): boolean {
  const [, first, last] = written.exec(file) ?? [];
  return [first, last].every((seq) => {
    const number = Number(seq);
    return auditArchives.holding(number) !== undefined || audit.find(number) !== undefined;
  });
}
