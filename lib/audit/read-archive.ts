import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AuditRecord } from '../domain/audit-record.js';
import type { ArchiveRow } from '../sidecar/audit-archive-table.js';
import type { ExportedRecord } from './exported-line.js';

/** A stretch of the chain cannot be had from its archive. */
export class ArchiveUnreadable extends Error {
  override readonly name = 'ArchiveUnreadable';
  /** The first record of the stretch. */
  readonly seq: number;

  constructor(archive: ArchiveRow, problem: string) {
    super(`the archive ${archive.file} of records ${archive.firstSeq} to ${archive.lastSeq} ${problem}`);
    this.seq = archive.firstSeq;
  }
}

/** An archive holds at most so many records, so that one can be read whole. */
export const mostInArchive = 20_000;
/** Bytes that so many records cannot exceed: a small file is not let grow into a huge one. */
const mostBytes = mostInArchive * 16 * 1024;

/**
 * The records of one archive.
 * @param folder where archives lie
 * @throws ArchiveUnreadable when the file is missing, is not the one that was written, or does not hold the stretch
 */
export function readArchive(folder: string | null, archive: ArchiveRow): AuditRecord[] {
  const bytes = readFileOf(folder, archive);
  if (createHash('sha256').update(bytes).digest('hex') !== archive.sha256) {
    throw new ArchiveUnreadable(archive, 'was changed: its SHA-256 is another one');
  }
  let records: AuditRecord[];
  try {
    records = gunzipSync(bytes, { maxOutputLength: mostBytes })
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as ExportedRecord).record);
  } catch (error) {
    throw new ArchiveUnreadable(archive, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const last = records.at(-1);
  const isWhole =
    records.length === archive.lastSeq - archive.firstSeq + 1 &&
    records[0]?.seq === archive.firstSeq &&
    last?.hash === archive.lastHash.toString('hex');
  if (!isWhole) throw new ArchiveUnreadable(archive, 'holds other records than these');
  return records;
}

function readFileOf(folder: string | null, archive: ArchiveRow): Buffer {
  if (folder === null) throw new ArchiveUnreadable(archive, 'has no place to be read from');
  try {
    return readFileSync(join(folder, archive.file));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ArchiveUnreadable(archive, isMissing ? 'is missing' : `cannot be read: ${(error as Error).message}`);
  }
}
