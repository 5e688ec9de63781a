import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { describeError } from '../domain/describe-error.js';
import type { AuditRecord } from '../domain/audit-record.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { ArchiveRow } from '../sidecar/tables/audit-archive-table.js';
import type { ExportedRecord } from './exported-line.js';

/** A range of the chain is not readable from its archive. */
export class ArchiveUnreadable extends Error {
  override readonly name = 'ArchiveUnreadable';
  /** The first record of the range. */
  readonly seq: number;

  constructor(archive: ArchiveRow, problem: string) {
    super(`the archive ${archive.file} of records ${archive.firstSeq} to ${archive.lastSeq} ${problem}`);
    this.seq = archive.firstSeq;
  }
}

/** An archive holds at most so many records: its file is held in memory, compressed, while it is read. */
export const maxInArchive = 20_000;
/** Maximum of bytes for so many records: a small file must not grow into a huge one. */
const maxBytes = maxInArchive * 16 * 1024;
/** Bytes unpacked, and hashed, before others get their turn. */
const pieceSize = 64 * 1024;
const hashedAtOnce = 1024 * 1024;

/**
 * The records of one archive, a hundred or so at a time; the reader may wait in between.
 * @param folder of the archives
 * @throws ArchiveUnreadable before the first record, when the file is missing or differs from the written one
 * @throws ArchiveUnreadable at the latest after the last record, when the file does not hold the range
 */
export async function* readArchive(
  folder: string | null,
  archive: ArchiveRow,
): AsyncGenerator<readonly AuditRecord[], undefined> {
  const bytes = await readFileOf(folder, archive);
  if ((await hashCooperatively(bytes)) !== archive.sha256) {
    throw new ArchiveUnreadable(archive, 'was changed: its SHA-256 is another one');
  }
  let next = archive.firstSeq;
  let hash = '';
  for await (const lines of unpackLines(bytes, archive)) {
    const records = lines.map((line) => parseRecord(line, archive));
    for (const record of records) {
      if (record.seq !== next || next > archive.lastSeq) throw holdsOthers(archive);
      next += 1;
      hash = record.hash;
    }
    yield records;
  }
  if (next !== archive.lastSeq + 1 || hash !== archive.lastHash.toString('hex')) throw holdsOthers(archive);
}

const holdsOthers = (archive: ArchiveRow): ArchiveUnreadable =>
  new ArchiveUnreadable(archive, 'holds other records than these');

const unreadable = (archive: ArchiveRow, error: unknown): ArchiveUnreadable =>
  new ArchiveUnreadable(archive, `cannot be read: ${describeError(error)}`);

function parseRecord(line: string, archive: ArchiveRow): AuditRecord {
  try {
    return (JSON.parse(line) as ExportedRecord).record;
  } catch (error) {
    throw unreadable(archive, error);
  }
}

/** Whole lines as they come out, those of one piece together; unpacking happens beside the event loop. */
async function* unpackLines(bytes: Buffer, archive: ArchiveRow): AsyncGenerator<readonly string[], undefined> {
  const unpacked = Readable.from([bytes]).pipe(createGunzip({ chunkSize: pieceSize }));
  let length = 0;
  let begun = '';
  try {
    for await (const piece of unpacked.setEncoding('utf8') as AsyncIterable<string>) {
      length += piece.length;
      if (length > maxBytes) throw new Error('it unpacks into too much');
      const lines = (begun + piece).split('\n');
      begun = lines.pop() ?? '';
      yield lines.filter((line) => line !== '');
      // Several pieces may be there already; without a yield they would be one long piece of work.
      await yieldToLoop();
    }
  } catch (error) {
    throw error instanceof ArchiveUnreadable ? error : unreadable(archive, error);
  } finally {
    unpacked.destroy();
  }
  if (begun !== '') yield [begun];
}

async function hashCooperatively(bytes: Buffer): Promise<string> {
  const hash = createHash('sha256');
  for (let start = 0; start < bytes.length; start += hashedAtOnce) {
    if (start > 0) await yieldToLoop();
    hash.update(bytes.subarray(start, start + hashedAtOnce));
  }
  return hash.digest('hex');
}

async function readFileOf(folder: string | null, archive: ArchiveRow): Promise<Buffer> {
  if (folder === null) throw new ArchiveUnreadable(archive, 'has no place to be read from');
  try {
    return await readFile(join(folder, archive.file));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw isMissing ? new ArchiveUnreadable(archive, 'is missing') : unreadable(archive, error);
  }
}
