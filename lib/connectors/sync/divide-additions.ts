import type { Steps } from '../../scheduling/in-steps.js';
import { hasDocument, type MirrorEntry } from '../../sidecar/tables/mirror-entry-table.js';
import type { ReadFile } from './read-files.js';

/** Files looked at in one step. */
const filesInStep = 1000;

/** Files to write, and the rows that they get. */
export interface Addition {
  readonly written: readonly ReadFile[];
  readonly put: readonly MirrorEntry[];
}

export interface Divided {
  /** New files that get commits of their own, before the others. */
  readonly early: readonly Addition[];
  /** What the last commit writes: as many new files again at the most, what was changed, and all other rows. */
  readonly last: Addition;
}

/**
 * Divides the files of a run that removes and moves nothing. So others do not wait for the whole of a first sync. A
 * changed file is never early: people see the changes of a source as one commit.
 * @param filesInCommit new files of one commit
 */
export function* divideAdditions({ written, put }: Addition, filesInCommit: number): Steps<Divided> {
  const added = written.filter(({ row }) => row === undefined || !hasDocument(row));
  const count = Math.max(0, Math.ceil(added.length / filesInCommit) - 1);
  if (count === 0) return { early: [], last: { written, put } };
  const parts = Array.from({ length: count }, () => ({ written: [] as ReadFile[], put: [] as MirrorEntry[] }));
  const last = { written: [] as ReadFile[], put: [] as MirrorEntry[] };
  const partOf = new Map<string, (typeof parts)[number]>();
  for (const [index, { path }] of added.entries()) {
    if (index % filesInStep === 0) yield;
    const part = parts[Math.floor(index / filesInCommit)];
    if (part !== undefined) partOf.set(path, part);
  }
  for (const [index, file] of written.entries()) {
    if (index % filesInStep === 0) yield;
    (partOf.get(file.path) ?? last).written.push(file);
  }
  for (const [index, row] of put.entries()) {
    if (index % filesInStep === 0) yield;
    (partOf.get(row.path) ?? last).put.push(row);
  }
  return { early: parts, last };
}
