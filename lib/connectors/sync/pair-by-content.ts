import type { Steps } from '../../scheduling/in-steps.js';
import type { MirrorEntry } from '../../sidecar/tables/mirror-entry-table.js';
import type { PathMove } from './compare-entries.js';
import { isNewFile, type ReadFile } from './read-files.js';

/** A mirrored document's content. */
export interface KnownContent {
  readonly blobOid: string;
  /** Bytes. */
  readonly size: number;
}

export interface Paired {
  readonly moved: readonly PathMove[];
  /** What is left of both lists. */
  readonly written: readonly ReadFile[];
  readonly removed: readonly MirrorEntry[];
}

/**
 * Finds moved files by their content: one file is gone, one is new, and no other of either has this content. So the
 * document keeps its history, comments and labels. Empty files say nothing.
 * @param contentOf the document of a removed file; undefined when there is none
 */
export function* pairByContent(
  written: readonly ReadFile[],
  removed: readonly MirrorEntry[],
  contentOf: (path: string) => KnownContent | undefined,
): Steps<Paired> {
  const arrived = new Map<string, ReadFile | 'several'>();
  for (const [index, file] of written.entries()) {
    if (index % 1000 === 999) yield;
    if (!isNewFile(file) || file.content.size === 0) continue;
    const { blobOid } = file.content;
    arrived.set(blobOid, arrived.has(blobOid) ? 'several' : file);
  }
  yield;
  const left = new Map<string, MirrorEntry | 'several'>();
  for (const [index, row] of removed.entries()) {
    if (index % 100 === 99) yield;
    if (arrived.size === 0) break;
    const content = contentOf(row.path);
    if (content === undefined || !arrived.has(content.blobOid)) continue;
    left.set(content.blobOid, left.has(content.blobOid) ? 'several' : row);
  }
  const moved: PathMove[] = [];
  const [came, went] = [new Set<ReadFile>(), new Set<MirrorEntry>()];
  for (const [blobOid, row] of left) {
    const file = arrived.get(blobOid);
    if (row === 'several' || file === undefined || file === 'several') continue;
    moved.push({ from: row.path, to: file.path });
    came.add(file);
    went.add(row);
  }
  return {
    moved,
    written: written.filter((file) => !came.has(file)),
    removed: removed.filter((row) => !went.has(row)),
  };
}
