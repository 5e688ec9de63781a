import type { Journal } from './journal.js';
import type { Tables } from '../sidecar/tables.js';

/** Rows that go in one turn: they are overwritten as they go, and everyone waits behind a turn. */
const rowsAtOnce = 1000;

/**
 * Takes away the rows of records that lie in an archive now, a little at a time; their texts stay. Whoever reads the
 * chain meanwhile, or after it broke off, reads them in the archive, rows or no rows.
 * @param isStopped asked before each turn
 * @throws what the journal threw
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

/** Number of the last row that goes next; undefined when the table holds nothing that is archived. */
function lastToClear({ audit, auditArchives }: Tables): number | undefined {
  const archived = auditArchives.last()?.lastSeq ?? 0;
  const first = audit.after(0, 1)[0]?.seq;
  return first === undefined || first > archived ? undefined : Math.min(first + rowsAtOnce - 1, archived);
}
