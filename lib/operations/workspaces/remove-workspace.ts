import type { RemovalReceipt } from '../../backup/removed-workspace.js';
import { findLastBackup } from '../../backup/last-backup.js';
import { formatTimeOrNull } from '../../domain/clock.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';

/** What a removal takes away. */
export type RemovedContent = Pick<RemovalReceipt, 'documents' | 'last_backup_at'>;

/**
 * Says what a removal of the workspace takes away, and puts it on record. The removal itself is the service's: it ends
 * the log with this record. Admin.
 */
export const beginRemoval: ReadOperation<{ readonly isConfirmed: boolean }, RemovedContent> = {
  kind: 'read',
  name: 'workspace.remove',
  needs: () => adminNeeds,
  note: ({ isConfirmed }) => ({ detail: { confirmed: isConfirmed } }),
  run({ workspace }) {
    const { reader } = workspace.journal;
    return {
      documents: reader.documents.countLive(),
      last_backup_at: formatTimeOrNull(findLastBackup(reader) ?? null),
    };
  },
};
