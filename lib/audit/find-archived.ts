import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { AuditRecord } from '../domain/audit-record.js';
import type { ChainSource } from './export.js';
import { readArchive } from './read-archive.js';
import { liesAt, passes, type FoundRecord, type FoundRecords, type Question } from './seek-records.js';
import type { Tables } from '../sidecar/tables.js';

/** Archives read for one page. */
const maxArchives = 3;

interface ArchivedSource extends ChainSource {
  readonly tables: Tables;
}

/**
 * Records in archives, the last first. Whole archives are read, a few for each page. Then the page ends, and the next
 * one goes on there.
 * @param upTo the first one looked at, downwards
 * @throws ArchiveUnreadable
 */
export async function findArchived(
  { tables, archives }: ArchivedSource,
  { filter, place }: Question,
  { upTo, limit }: { readonly upTo: number; readonly limit: number },
): Promise<FoundRecords> {
  const records: FoundRecord[] = [];
  let at = upTo;
  for (let read = 0; at > 0; read += 1) {
    const archive = tables.auditArchives.holding(at);
    if (archive === undefined) break;
    if (read === maxArchives) return { records, next: at };
    const inThis: FoundRecord[] = [];
    for await (const batch of readArchive(archives, archive)) {
      for (const record of batch) {
        if (record.seq > at) break;
        const row = toFound(record);
        if (!passes(filter, row)) continue;
        if (place === null || liesAt(tables, place, row, tables.auditQueries.placeOf(row.seq))) inThis.push(row);
      }
    }
    for (const row of inThis.toReversed()) {
      if (records.length === limit) return { records, next: row.seq };
      records.push(row);
    }
    at = archive.firstSeq - 1;
    await yieldToLoop();
  }
  return { records, next: 0 };
}

/** A record as an archive holds it. */
export function toFound({
  seq,
  at,
  hash,
  principal,
  credential,
  action,
  code,
  version,
  ...rest
}: AuditRecord): FoundRecord {
  return {
    seq,
    at: Date.parse(at),
    principal,
    credential,
    interface: rest.interface,
    action,
    code,
    version,
    request_id: rest.request_id,
    hash: Buffer.from(hash, 'hex'),
  };
}
