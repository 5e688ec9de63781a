import { createHash } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { firstPreviousHash, type AuditRecord } from '../domain/audit-record.js';
import type { ArchiveRow } from '../sidecar/audit-archive-table.js';
import { verifyChain } from './verify.js';
import { toRecord, type ChainHead } from './chain.js';
import type { ChainTables } from './export.js';
import { mostInArchive } from './read-archive.js';

/** An archive whose file is on the disk, and whose records still lie in the table, too. */
export type WrittenArchive = Omit<ArchiveRow, 'archivedAt'>;

const compress = promisify(gzip);

/** The chain is not sound where it was to be archived. */
export class StretchUnsound extends Error {
  override readonly name = 'StretchUnsound';
}

/**
 * Writes the oldest records that are still in the table into an archive file, after checking that they continue the
 * stretch before them without a fault. The file is durable when this returns; nothing in the tables has changed.
 * @param folder where archives lie; made when it is not there
 * @param upTo the last record that may be archived; the chain's very last always stays
 * @returns undefined when there is nothing to archive
 * @throws StretchUnsound
 */
export async function writeArchive(
  tables: ChainTables,
  folder: string,
  upTo: number,
): Promise<WrittenArchive | undefined> {
  const before = tables.auditArchives.last();
  const start: ChainHead | undefined =
    before === undefined ? undefined : { seq: before.lastSeq, hash: before.lastHash.toString('hex') };
  const newest = (tables.audit.head()?.seq ?? 0) - 1;
  const last = Math.min(upTo, newest, (start?.seq ?? 0) + mostInArchive);
  const records = readRows(tables, start, last);
  const first = records[0];
  const end = records.at(-1);
  if (first === undefined || end === undefined) return undefined;
  const verdict = verifyChain(
    records.map((record) => ({ record })),
    [],
    { start },
  );
  if (!verdict.sound) throw new StretchUnsound(`${verdict.problem}. Nothing was archived.`);
  const bytes = await compress(records.map((record) => `${JSON.stringify({ record })}\n`).join(''));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const file = `${first.seq}-${end.seq}-${sha256}.jsonl.gz`;
  await writeDurably(folder, file, bytes);
  return {
    firstSeq: first.seq,
    lastSeq: end.seq,
    lastHash: Buffer.from(end.hash, 'hex'),
    lastAt: Date.parse(end.at),
    file,
    sha256,
    bytes: bytes.length,
  };
}

function readRows({ audit }: ChainTables, start: ChainHead | undefined, last: number): AuditRecord[] {
  const after = start?.seq ?? 0;
  let previousHash = start?.hash ?? firstPreviousHash;
  return audit
    .after(after, Math.max(0, last - after))
    .filter((row) => row.seq <= last)
    .map((row) => {
      const record = toRecord(row, previousHash);
      previousHash = record.hash;
      return record;
    });
}

async function writeDurably(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
  const temporary = join(folder, `.${name}.tmp`);
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(folder, name));
  await syncFolder(folder);
  if (isNew) await syncFolder(dirname(folder));
}

async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
