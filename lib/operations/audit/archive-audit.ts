import { invalidRequest } from '../../domain/refusal.js';
import { RangeUnsound, writeArchive, type WrittenArchive } from '../../audit/write-archive.js';
import { adminNeeds } from '../needs.js';
import type { WriteOperation } from '../operation.js';

/** The end of the move: before a record's number, or before a time in milliseconds since 1970. */
export type ArchiveBefore = { readonly seq: number } | { readonly time: number };

export interface ArchiveResult {
  /** null when there was nothing to move. */
  readonly archived: { readonly firstSeq: number; readonly lastSeq: number; readonly file: string } | null;
  /** Whether more is left before the given place: repeat it. */
  readonly more: boolean;
}

export interface ArchiveInput {
  readonly before: ArchiveBefore;
  /**
   * Number of the chain's last record when the work began, for repeated calls. Later records are left for another time,
   * so that the work ends. Left out: the present one.
   */
  readonly head?: number;
}

interface Prepared {
  readonly archive: WrittenArchive | undefined;
  readonly upTo: number;
}

/**
 * Moves the oldest records of the audit chain into a compressed file, after checking them: at most twenty thousand a
 * time. Their rows go after that, a little at a time (`clearArchived`). Their texts stay where an erase can clear them.
 * Exports and checks continue to read them from the files. Admin.
 * @throws Refusal INVALID_REQUEST `no_data_folder` in memory, `chain_unsound`
 */
export const archiveAudit: WriteOperation<ArchiveInput, ArchiveResult, Prepared> = {
  kind: 'write',
  name: 'audit.archive',
  needs: () => adminNeeds,
  note: ({ before }) => ({ detail: { before } }),
  async prepare({ workspace, view }, { before, head = workspace.journal.state.chain.seq }) {
    const { archives } = workspace;
    if (archives === null) throw invalidRequest('no_data_folder', 'A workspace in memory has no place for archives.');
    const limit = 'seq' in before ? before.seq - 1 : view.tables.audit.lastBefore(before.time);
    const upTo = Math.min(limit, head - 1);
    try {
      return { archive: await writeArchive(view.tables, archives, upTo), upTo };
    } catch (error) {
      if (error instanceof RangeUnsound) throw invalidRequest('chain_unsound', error.message);
      throw error;
    }
  },
  run({ transaction }, _input, { archive, upTo }) {
    const { auditArchives } = transaction.tables;
    // Another call may have moved the same records meanwhile. Then the file is the same, too.
    const isMine = archive !== undefined && auditArchives.holding(archive.firstSeq) === undefined;
    if (isMine) auditArchives.insert({ ...archive, archivedAt: transaction.now });
    const more = (auditArchives.last()?.lastSeq ?? 0) < upTo;
    if (!isMine) return { archived: null, more };
    const { firstSeq, lastSeq, file } = archive;
    return { archived: { firstSeq, lastSeq, file }, more };
  },
  noteResult: ({ archived }) => (archived === null ? {} : { detail: { ...archived } }),
};
