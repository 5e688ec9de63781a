import { firstPreviousHash, type AuditRecord } from '../domain/audit-record.js';
import type { Tables } from '../sidecar/sidecar.js';
import { emptyChain, toRecord, type ChainHead } from './chain.js';
import { toCheckpoint, type SignedCheckpoint } from './checkpoint.js';
import type { ExportedLine } from './exported-line.js';
import { readArchive } from './read-archive.js';

export type { ExportedLine, ExportedRecord } from './exported-line.js';

/** The tables that a chain lies in. */
export type ChainTables = Pick<Tables, 'audit' | 'auditCheckpoints' | 'auditArchives'>;

/** Where a workspace's chain is read from. */
export interface ChainSource {
  readonly workspace: string;
  readonly tables: ChainTables;
  /** The folder with the archive files; null where there can be none (in memory). */
  readonly archives: string | null;
}

const batch = 1000;

/**
 * The chain in order, with its signatures, through archives and rows alike; read piece by piece, so that memory stays
 * flat. It may be archived meanwhile.
 * @param withTexts whether to open the commitments (locations, queries): leave out for an outside auditor
 * @param close signs the end that was reached, so that a cut export is told from a whole one
 * @throws ArchiveUnreadable when an archive is missing or changed
 */
export function* exportChain(
  source: ChainSource,
  withTexts: boolean,
  close?: (head: ChainHead) => SignedCheckpoint,
): Generator<ExportedLine> {
  const { audit, auditCheckpoints } = source.tables;
  let head = emptyChain;
  for (const records of readBatches(source)) {
    const last = records.at(-1)?.seq ?? 0;
    const signed = new Map(auditCheckpoints.between(head.seq, last).map((row) => [row.seq, row]));
    for (const record of records) {
      const text = withTexts ? audit.textOf(record.seq) : undefined;
      yield text === undefined ? { record } : { record, text };
      head = { seq: record.seq, hash: record.hash };
      const checkpoint = signed.get(record.seq);
      if (checkpoint !== undefined) yield { checkpoint: toCheckpoint(checkpoint, source.workspace) };
    }
  }
  // Signatures over records that are not there any more: what a cut chain is found by.
  for (const row of auditCheckpoints.between(head.seq, Number.MAX_SAFE_INTEGER)) {
    yield { checkpoint: toCheckpoint(row, source.workspace) };
  }
  if (close !== undefined && head.seq > 0) yield { checkpoint: close(head) };
}

function* readBatches({ tables, archives }: ChainSource): Generator<readonly AuditRecord[]> {
  let seq = 0;
  let previousHash = firstPreviousHash;
  for (;;) {
    const archive = tables.auditArchives.holding(seq + 1);
    const records =
      archive === undefined
        ? readRows(tables, seq, previousHash)
        : readArchive(archives, archive).filter((record) => record.seq > seq);
    const last = records.at(-1);
    if (last === undefined) return;
    yield records;
    seq = last.seq;
    previousHash = last.hash;
  }
}

function readRows({ audit }: ChainTables, after: number, hash: string): AuditRecord[] {
  let previousHash = hash;
  return audit.after(after, batch).map((row) => {
    const record = toRecord(row, previousHash);
    previousHash = record.hash;
    return record;
  });
}
