import { invalidRequest } from '../domain/refusal.js';
import { StretchUnsound, writeArchive, type WrittenArchive } from '../audit/write-archive.js';
import { adminNeeds } from './needs.js';
import type { WriteOperation } from './operation.js';

/** Up to where records are moved: before a record's number, or before a time in milliseconds since 1970. */
export type ArchiveBefore = { readonly seq: number } | { readonly time: number };

export interface ArchiveResult {
  /** null when there was nothing to move. */
  readonly archived: { readonly firstSeq: number; readonly lastSeq: number; readonly file: string } | null;
  /** Whether more is left before the given place: repeat it. */
  readonly more: boolean;
}

interface Prepared {
  readonly archive: WrittenArchive | undefined;
  readonly upTo: number;
}

/**
 * Moves the oldest records of the audit chain into a compressed file, after checking them; at most twenty thousand a
 * time. Their texts stay where an erase can clear them, and exports and checks read on through the files. Admin.
 * @throws Refusal INVALID_REQUEST `no_data_folder` in memory, `chain_unsound`
 */
export const archiveAudit: WriteOperation<{ readonly before: ArchiveBefore }, ArchiveResult, Prepared> = {
  kind: 'write',
  name: 'audit.archive',
  needs: () => adminNeeds,
  note: ({ before }) => ({ detail: { before } }),
  async prepare({ workspace, view }, { before }) {
    const { archives } = workspace;
    if (archives === null) throw invalidRequest('no_data_folder', 'A workspace in memory has no place for archives.');
    const upTo = 'seq' in before ? before.seq - 1 : view.tables.audit.lastBefore(before.time);
    try {
      return { archive: await writeArchive(view.tables, archives, upTo), upTo };
    } catch (error) {
      if (error instanceof StretchUnsound) throw invalidRequest('chain_unsound', error.message);
      throw error;
    }
  },
  run({ turn }, _input, { archive, upTo }) {
    const { audit, auditArchives } = turn.tables;
    if (archive === undefined) return { archived: null, more: false };
    // Another one may have moved the same records meanwhile: then the file is the same, too.
    if (auditArchives.holding(archive.firstSeq) !== undefined) return { archived: null, more: true };
    auditArchives.insert({ ...archive, archivedAt: turn.now });
    audit.deleteUpTo(archive.lastSeq);
    const { firstSeq, lastSeq, file } = archive;
    return { archived: { firstSeq, lastSeq, file }, more: lastSeq < Math.min(upTo, turn.state.chain.seq - 1) };
  },
  noteResult: ({ archived }) => (archived === null ? {} : { detail: { ...archived } }),
};
