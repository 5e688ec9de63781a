import { setMaxListeners } from 'node:events';
import type { SkipReason } from '../../domain/connector.js';
import { largestPointer, readLfsPointer } from '../../domain/lfs-pointer.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { FoundContent } from '../../history/projection.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { hasDocument, type MirrorEntry } from '../../sidecar/tables/mirror-entry-table.js';
import { ForbiddenFile, UnreadableFile, type Source, type SourceFile } from '../source.js';
import type { FileToRead } from './compare-entries.js';
import { idOf, isSameRow, tooLarge } from './filter-entries.js';
import { itemsUntilAborted } from './until-aborted.js';

/** How files are read. */
export interface Reading {
  readonly source: Source;
  readonly readsAtOnce: number;
  /** Bytes of a file. */
  readonly maxBytes: number;
  /** Bytes that the workspace still has room for, and all that it may have. */
  readonly room: number;
  readonly quota: number;
  readonly signal: AbortSignal;
  /** Stores a content durably, so that it need not stay in memory. */
  readonly store: (content: AsyncIterable<Uint8Array>) => Promise<FoundContent>;
  /** The hash of the document that the mirror has there; undefined when there is none. */
  readonly hashOf: (path: string) => string | undefined;
  readonly onBytes: (count: number) => void;
}

/** A file that was read and whose content is stored. */
export interface ReadFile extends FileToRead {
  readonly content: FoundContent;
}

/** Whether the mirror has no document of the file yet. */
export const isNewFile = ({ row }: Pick<FileToRead, 'row'>): boolean => row === undefined || !hasDocument(row);

/** What became of the files. */
export interface ReadResult {
  /** Those whose content is new here. */
  readonly written: readonly ReadFile[];
  /** Rows of all. */
  readonly put: readonly MirrorEntry[];
  /** Documents whose source file can no longer be mirrored: it is now a link, say, or too large. */
  readonly removed: readonly MirrorEntry[];
  /** Files that are left out because of their content. */
  readonly skipped: number;
  /** Files that could not be read. The next run tries again. */
  readonly unreadable: number;
  /** Those of them that the source forbids to read. */
  readonly forbidden: number;
}

type Outcome = { readonly content: FoundContent; readonly isNew: boolean } | UnreadableFile;

/**
 * Reads files, several at once. One that cannot be read does not disturb the others.
 * @throws SourceFault; Refusal INVALID_REQUEST `storage_quota` when there is no room; the signal's reason
 */
export async function readFiles(files: readonly FileToRead[], reading: Reading): Promise<ReadResult> {
  const outcomes: Outcome[] = [];
  const failure = new AbortController();
  const signal = AbortSignal.any([reading.signal, failure.signal]);
  // Each file that is read listens to it a few times. Node would take that for a leak.
  setMaxListeners(0, signal);
  const queue = files.entries();
  let room = reading.room;
  const work = async (): Promise<void> => {
    for (const [index, each] of queue) {
      if (signal.aborted) return;
      const outcome = await readOne(each, { ...reading, signal });
      outcomes[index] = outcome;
      if ('isNew' in outcome && outcome.isNew) room -= outcome.content.size;
      if (room < 0) throw noRoom(reading.quota);
    }
  };
  const workers = Array.from({ length: Math.min(reading.readsAtOnce, files.length) }, () =>
    work().catch((error: unknown) => failure.abort(error)),
  );
  await Promise.all(workers);
  signal.throwIfAborted();
  return runCooperatively(sortOut(files, outcomes));
}

function noRoom(limit: number): Error {
  return invalidRequest('storage_quota', 'The workspace has no room left for this. An admin can raise the quota.', {
    limit,
  });
}

async function readOne({ path, file, row, from }: FileToRead, reading: Reading): Promise<Outcome> {
  const { source, maxBytes, signal, store, hashOf, onBytes } = reading;
  const start: Uint8Array[] = [];
  let size = 0;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of itemsUntilAborted(signal, source.read(file, maxBytes, signal))) {
      if (size <= largestPointer) start.push(piece.subarray(0, largestPointer + 1));
      size += piece.length;
      if (size > maxBytes) throw new UnreadableFile('too_large', tooLarge(maxBytes));
      onBytes(piece.length);
      yield piece;
    }
    if (file.size !== undefined && file.size !== size) {
      throw new UnreadableFile('unreadable', 'The file changed while it was read: its size is not the listed one.');
    }
  }
  try {
    const content = await store(pieces());
    if (readLfsPointer(Buffer.concat(start)) !== undefined)
      return new UnreadableFile('lfs_pointer', 'Its content is kept outside of the source.');
    const isNew = isNewFile({ row }) || hashOf(from ?? path) !== content.sha256;
    return { content, isNew };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnreadableFile) return error;
    throw error;
  }
}

function* sortOut(files: readonly FileToRead[], outcomes: readonly Outcome[]): Steps<ReadResult> {
  const written: ReadFile[] = [];
  const put: MirrorEntry[] = [];
  const removed: MirrorEntry[] = [];
  let [skipped, unreadable, forbidden] = [0, 0, 0];
  for (const [index, each] of files.entries()) {
    yield;
    const outcome = outcomes[index];
    if (outcome === undefined) throw new Error('A file was neither read nor refused.');
    if (!(outcome instanceof UnreadableFile)) {
      put.push(rowOf(each, each.file.version, null, null));
      if (outcome.isNew) written.push({ ...each, content: outcome.content });
      continue;
    }
    const { row, file } = each;
    const { reason, message } = outcome;
    if (reason === 'unreadable') {
      unreadable += 1;
      if (outcome instanceof ForbiddenFile) forbidden += 1;
      // The document keeps the version that was read. The next run sees another one, and tries again.
      const next = rowOf(each, row !== undefined && hasDocument(row) ? row.version : '', reason, message);
      if (row === undefined || !isSameRow(row, next)) put.push(next);
      continue;
    }
    skipped += 1;
    put.push(rowOf(each, file.version, reason, message));
    if (row !== undefined && hasDocument(row)) removed.push({ ...row, path: each.from ?? row.path });
  }
  return { written, put, removed, skipped, unreadable, forbidden };
}

/** Characters kept of what a source says about a file. */
const keptOfDetail = 300;

function rowOf(
  { path, file }: { readonly path: string; readonly file: SourceFile },
  version: string,
  reason: SkipReason | null,
  detail: string | null,
): MirrorEntry {
  const kept = detail === null ? null : detail.toWellFormed().slice(0, keptOfDetail).toWellFormed();
  return { path, sourceId: idOf(file), version, reason, detail: kept };
}
