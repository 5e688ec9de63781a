import type { Journal } from './journal.js';
import type { Tables } from '../sidecar/tables.js';

/** Rows deleted in one transaction: they are overwritten as they go, and all requests wait behind a transaction. */
const rowsAtOnce = 1000;

/**
 * Deletes the rows of archived records, a few at a time; their texts stay. A reader of the chain takes these records
 * from the archive, with the rows or without, even if the deletion breaks off.
 * @param isStopped asked before each transaction
 * @throws errors of the journal
 */
export async function clearArchived(journal: Journal, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && lastToClear(journal.reader) !== undefined) {
    await journal.write({
      isRecordOnly: true,
      run({ tables }) {
        const last = lastToClear(tables);
        if (last !== undefined) tables.audit.deleteUpTo(last);
      },
    });
  }
}

/** Number of the last row to delete next; undefined when the table holds no archived rows. */
function lastToClear({ audit, auditArchives }: Tables): number | undefined {
  const archived = auditArchives.last()?.lastSeq ?? 0;
  const first = audit.after(0, 1)[0]?.seq;
  return first === undefined || first > archived ? undefined : Math.min(first + rowsAtOnce - 1, archived);
}
