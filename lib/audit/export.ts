import type { AuditRecord } from '../domain/audit-record.js';
import { PartSize } from '../scheduling/in-steps.js';
import { Rests } from '../scheduling/rests.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { StoredText } from '../sidecar/tables/audit-table.js';
import { emptyChain, toRecord, type ChainHead } from './chain.js';
import { toCheckpoint, type SignedCheckpoint } from './signed-checkpoint.js';
import type { ExportedLine, ExportedRecord } from './exported-line.js';
import { readArchive } from './read-archive.js';
import type { Tables } from '../sidecar/tables.js';

export type { ExportedLine } from './exported-line.js';

/** The tables of a chain. */
export type ChainTables = Pick<Tables, 'audit' | 'auditCheckpoints' | 'auditArchives'>;

/** Where a workspace's chain is read from. */
export interface ChainSource {
  readonly workspace: string;
  readonly tables: ChainTables;
  /** The folder with the archive files; null where there can be none (in memory). */
  readonly archives: string | null;
}

/** The most rows read together. Others get their turn after them, and sooner where they take long. */
const batch = 500;

/**
 * The chain in order, with its signatures, through archives and rows alike. Read piece by piece, so memory stays flat,
 * and others get their turn in between. It may be archived meanwhile.
 * @param withTexts whether to open the commitments (locations, queries): leave out for an outside auditor
 * @param close signs the end reached, so a cut export differs from a whole one
 * @param noteAltered gets each record whose text is altered in the file, before its line; the line has the committed
 * text
 * @throws ArchiveUnreadable when an archive is missing or changed
 */
export async function* exportChain(
  source: ChainSource,
  withTexts: boolean,
  close?: (head: ChainHead) => SignedCheckpoint,
  noteAltered?: (seq: number) => void,
): AsyncGenerator<ExportedLine, undefined> {
  const { audit, auditCheckpoints } = source.tables;
  const rests = new Rests();
  let head = emptyChain;
  for await (const records of readBatches(source)) {
    const last = records.at(-1)?.seq ?? 0;
    const signed = new Map(auditCheckpoints.between(head.seq, last).map((row) => [row.seq, row]));
    for (const record of records) {
      yield withTexts ? withText(record, audit.textOf(record.seq), noteAltered) : { record };
      head = { seq: record.seq, hash: record.hash };
      const checkpoint = signed.get(record.seq);
      if (checkpoint !== undefined) yield { checkpoint: toCheckpoint(checkpoint, source.workspace) };
      // What the reader did with the line counts too.
      if (rests.isDue) await rests.take();
    }
  }
  // Signatures over records that are gone: they reveal a cut chain.
  for (const row of auditCheckpoints.between(head.seq, Number.MAX_SAFE_INTEGER)) {
    yield { checkpoint: toCheckpoint(row, source.workspace) };
    if (rests.isDue) await rests.take();
  }
  if (close !== undefined && head.seq > 0) yield { checkpoint: close(head) };
}

function withText(
  record: AuditRecord,
  stored: StoredText | undefined,
  noteAltered: ((seq: number) => void) | undefined,
): ExportedRecord {
  if (stored === undefined) return { record };
  const { isAltered, ...text } = stored;
  if (isAltered) noteAltered?.(record.seq);
  return { record, text };
}

async function* readBatches({ tables, archives }: ChainSource): AsyncGenerator<readonly AuditRecord[], undefined> {
  const size = new PartSize();
  let head = emptyChain;
  for (;;) {
    const from = head.seq;
    // Looked up for each batch: a row may have been moved meanwhile, and a moved record is a row for a while.
    const archive = tables.auditArchives.holding(from + 1);
    const batches =
      archive === undefined
        ? [size.run((limit) => readRows(tables, head, limit), batch)]
        : readArchive(archives, archive);
    for await (const found of batches) {
      const records = found.filter((record) => record.seq > from);
      const last = records.at(-1);
      if (last === undefined) continue;
      yield records;
      head = { seq: last.seq, hash: last.hash };
    }
    if (head.seq === from) return;
    await yieldToLoop();
  }
}

function readRows({ audit }: ChainTables, after: ChainHead, limit: number): AuditRecord[] {
  let previousHash = after.hash;
  return audit.after(after.seq, limit).map((row) => {
    const record = toRecord(row, previousHash);
    previousHash = record.hash;
    return record;
  });
}
