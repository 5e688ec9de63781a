import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { PartSize } from '../scheduling/in-steps.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { ArchiveRow } from '../sidecar/tables/audit-archive-table.js';
import { ChainVerifier } from './verify-chain.js';
import { emptyChain, toRecord, type ChainHead } from './chain.js';
import type { ChainTables } from './export.js';
import { maxInArchive } from './read-archive.js';
import { syncPath } from '../disk/sync-path.js';

/** An archive with its file on the disk, and its records still in the table, too. */
export type WrittenArchive = Omit<ArchiveRow, 'archivedAt'>;

/** The most rows read, checked and written before others get their turn. */
const batch = 500;

/** The chain is not sound where it was to be archived. */
export class RangeUnsound extends Error {
  override readonly name = 'AuditRangeUnsound';
}

/** Others have archived records of this range while it was read. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/**
 * Writes the oldest unarchived records into an archive file, after checking that they continue the range before them
 * without a fault. Others get their turn in between. The file is durable when this resolves; nothing in the tables has
 * changed.
 * @param folder of the archives; made when it is not there
 * @param upTo the last record that may be archived; the chain's very last always stays
 * @returns undefined when there is nothing to archive, or another caller archived it just then
 * @throws AuditRangeUnsound
 */
export async function writeArchive(
  tables: ChainTables,
  folder: string,
  upTo: number,
): Promise<WrittenArchive | undefined> {
  const before = tables.auditArchives.last();
  const start: ChainHead =
    before === undefined ? emptyChain : { seq: before.lastSeq, hash: before.lastHash.toString('hex') };
  const newest = (tables.audit.head()?.seq ?? 0) - 1;
  const last = Math.min(upTo, newest, start.seq + maxInArchive);
  if (last <= start.seq) return undefined;
  try {
    const { bytes, sha256, head, lastAt } = await compressRange(tables, start, last);
    const file = `${start.seq + 1}-${last}-${sha256}.jsonl.gz`;
    await writeDurably(folder, file, bytes);
    const lastHash = Buffer.from(head.hash, 'hex');
    return { firstSeq: start.seq + 1, lastSeq: last, lastHash, lastAt, file, sha256, bytes: bytes.length };
  } catch (error) {
    if (error instanceof Overtaken) return undefined;
    throw error;
  }
}

interface CompressedRange {
  readonly bytes: Buffer;
  /** Hex, of these. */
  readonly sha256: string;
  /** The last record. */
  readonly head: ChainHead;
  /** Time of that record, in milliseconds since 1970. */
  readonly lastAt: number;
}

async function compressRange(tables: ChainTables, start: ChainHead, last: number): Promise<CompressedRange> {
  const chain = new ChainVerifier([], { start });
  const pieces: Buffer[] = [];
  const hash = createHash('sha256');
  let lastAt = 0;
  const size = new PartSize();
  const checkedLines = (limit: number): string => {
    let text = '';
    for (const row of tables.audit.after(chain.head.seq, limit)) {
      const record = toRecord(row, chain.head.hash);
      const verdict = chain.take({ record });
      if (verdict?.sound === false) throw new RangeUnsound(`${verdict.problem}. Nothing was archived.`);
      text += `${JSON.stringify({ record })}\n`;
      lastAt = row.at;
    }
    return text;
  };
  async function* lines(): AsyncGenerator<string, undefined> {
    while (chain.head.seq < last) {
      if ((tables.auditArchives.last()?.lastSeq ?? 0) !== start.seq) throw new Overtaken();
      const text = size.run(checkedLines, Math.min(batch, last - chain.head.seq));
      if (text === '') throw new RangeUnsound(`record ${chain.head.seq + 1} is missing. Nothing was archived.`);
      yield text;
      await yieldToLoop();
    }
  }
  await pipeline(lines, createGzip(), async (compressed: AsyncIterable<Buffer>) => {
    for await (const piece of compressed) {
      hash.update(piece);
      pieces.push(piece);
    }
  });
  return { bytes: Buffer.concat(pieces), sha256: hash.digest('hex'), head: chain.head, lastAt };
}

async function writeDurably(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
  const temporary = join(folder, `.${name}.tmp`);
  const file = await open(temporary, 'w', 0o600);
  try {
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(folder, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncPath(folder);
  if (isNew) await syncPath(dirname(folder));
}
