import { firstPreviousHash, type AuditText } from '../domain/audit-record.js';
import { commitTo, hashRecord } from './canonical-record.js';
import type { ExportedRecord } from './export.js';

/** What a verification found. `problem` names the first record that is broken, missing or out of order. */
export type ChainVerdict =
  | { readonly sound: true; readonly records: number; readonly head: string }
  | { readonly sound: false; readonly records: number; readonly seq: number; readonly problem: string };

/** Where the chain must at least reach, as learnt elsewhere: from a commit, or a signed checkpoint. */
export interface KnownHead {
  readonly seq: number;
  readonly hash: string;
}

/**
 * Checks a chain from its first record: numbering, linking, hashes, and the texts that are given along.
 * Needs nothing but the records, so an export alone can be checked.
 * @param known heads that were seen elsewhere; a chain that ends before one of them has lost its tail
 */
export function verifyChain(entries: Iterable<ExportedRecord>, known: readonly KnownHead[] = []): ChainVerdict {
  const expected = new Map(known.map((head) => [head.seq, head.hash]));
  let seq = 0;
  let previousHash = firstPreviousHash;
  const broken = (at: number, problem: string): ChainVerdict => ({ sound: false, records: seq, seq: at, problem });
  for (const { record, text } of entries) {
    const { hash, ...members } = record;
    if (record.seq !== seq + 1) {
      return record.seq > seq + 1
        ? broken(seq + 1, `record ${seq + 1} is missing; record ${record.seq} follows`)
        : broken(record.seq, `record ${record.seq} stands out of order, after ${seq}`);
    }
    if (record.prev_hash !== previousHash) {
      return broken(record.seq, `record ${record.seq} does not link to the one before it`);
    }
    if (hashRecord(members).toString('hex') !== hash) {
      return broken(record.seq, `record ${record.seq} was changed: its hash does not match its content`);
    }
    const opened = text === undefined ? undefined : faultOfText(record, text);
    if (opened !== undefined) return broken(record.seq, `record ${record.seq}: ${opened}`);
    const elsewhere = expected.get(record.seq);
    if (elsewhere !== undefined && elsewhere !== hash) {
      return broken(record.seq, `record ${record.seq} is not the one that was witnessed elsewhere`);
    }
    seq = record.seq;
    previousHash = hash;
  }
  const furthest = Math.max(0, ...expected.keys());
  if (furthest > seq) return broken(seq + 1, `the chain ends at ${seq}, but record ${furthest} was witnessed`);
  return { sound: true, records: seq, head: previousHash };
}

function faultOfText(record: ExportedRecord['record'], text: AuditText): string | undefined {
  const salt = Buffer.from(text.salt, 'hex');
  for (const part of ['target', 'detail'] as const) {
    const clear = text[part];
    if (clear !== null && commitTo(clear, salt).toString('hex') !== record[part]) {
      return `the text kept for its ${part} is not the one it commits to`;
    }
  }
  return undefined;
}
