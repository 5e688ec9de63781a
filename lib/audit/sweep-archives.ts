import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainTables } from './export.js';

const written = /^(\d+)-(\d+)-[0-9a-f]{64}\.jsonl\.gz$/;
const temporary = /^\.\d+-\d+-[0-9a-f]{64}\.jsonl\.gz\.tmp$/;

/**
 * Takes away what an archiving left that did not come to its end: files half written, and whole ones that no row names,
 * whose records all lie elsewhere. Called before anything is archived.
 * @returns the names of what was taken away
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

/** Whether the records of an archive are had without it: a file that alone has some is evidence, however it came here. */
function isElsewhere({ audit, auditArchives }: ChainTables, file: string): boolean {
  const [, first, last] = written.exec(file) ?? [];
  return [first, last].every((seq) => {
    const number = Number(seq);
    return auditArchives.holding(number) !== undefined || audit.find(number) !== undefined;
  });
}
