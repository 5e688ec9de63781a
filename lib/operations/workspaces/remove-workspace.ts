import { findLastBackup } from '../../backup/last-backup.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';

/** What a removal takes away. */
export interface RemovedContent {
  readonly documents: number;
  /** Milliseconds since 1970; undefined where there was none. */
  readonly lastBackupAt: number | undefined;
}

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
    return { documents: reader.documents.countLive(), lastBackupAt: findLastBackup(reader) };
  },
};
