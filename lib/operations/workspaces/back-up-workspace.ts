import type { BackupManifest } from '../../backup/backup-manifest.js';
import { backUp, type BackUpOptions } from '../../backup/back-up.js';
import { noteBackup } from '../../backup/last-backup.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';

/**
 * Takes a backup of the workspace's state at one moment, while it is served. Admin.
 * @throws Refusal INVALID_REQUEST `folder_not_empty`, `git_missing`, `no_data_folder`; CONFLICT `backup_unsound`
 */
export const backUpWorkspace: ReadOperation<BackUpOptions, BackupManifest> = {
  kind: 'read',
  name: 'workspace.backup',
  needs: () => adminNeeds,
  note: ({ folder }) => ({ detail: { folder } }),
  async run({ workspace }, input) {
    const manifest = await backUp(workspace, input);
    // After the copy was made, so the copy has the time of the backup before it.
    await workspace.journal.write({ isRecordOnly: true, run: ({ tables, now }) => noteBackup(tables, now) });
    return manifest;
  },
  noteResult: ({ commit, audit }) => ({
    ...(commit === null ? {} : { version: commit }),
    detail: { audit_seq: audit.seq },
  }),
};
