import type { Steps } from '../../scheduling/in-steps.js';
import type { MirrorEntry } from '../../sidecar/tables/mirror-entry-table.js';
import { isNewFile, type ReadFile } from './read-files.js';

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
  const count = Math.ceil(written.filter(isNewFile).length / filesInCommit) - 1;
  if (count < 1) return { early: [], last: { written, put } };
  const makePart = () => ({ written: [] as ReadFile[], put: [] as MirrorEntry[] });
  const early = Array.from({ length: count }, makePart);
  const last = makePart();
  const partOf = new Map<string, typeof last>();
  let added = 0;
  for (const [index, file] of written.entries()) {
    if (index % filesInStep === 0) yield;
    const part = (isNewFile(file) ? early[Math.floor(added++ / filesInCommit)] : undefined) ?? last;
    part.written.push(file);
    partOf.set(file.path, part);
  }
  for (const [index, row] of put.entries()) {
    if (index % filesInStep === 0) yield;
    (partOf.get(row.path) ?? last).put.push(row);
  }
  return { early, last };
}
