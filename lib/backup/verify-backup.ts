import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSigner } from '../audit/signed-checkpoint.js';
import { invalidRequest } from '../domain/refusal.js';
import { GitProgramMissing } from '../git/repositories/repository.js';
import { pathsOf } from '../journal/workspace-files.js';
import { auditKeyOf } from '../sidecar/service-file.js';
import { openSidecar } from '../sidecar/sidecar.js';
import type { BackupManifest } from './backup-manifest.js';
import { backupDamaged, checkBackup } from './check-backup.js';
import { layOutBackup, requireSound, sidecarUnreadable } from './lay-out-backup.js';

export interface VerifyOptions {
  readonly passphrase: string;
  readonly git: 'auto' | 'never';
  /** The folder with the sidecar's schema: an older release's backup is brought to it, as a restore does. */
  readonly migrations: string;
}

/**
 * Checks a backup as a restore does, in a folder for temporary files that is removed again. No key is written there.
 * Needs room for the backup. Changes nothing else.
 * @throws Refusal INVALID_REQUEST `backup_damaged` with all problems, `git_missing`
 */
export async function verifyBackup(
  folder: string,
  { passphrase, git, migrations }: VerifyOptions,
): Promise<BackupManifest> {
  const checked = await checkBackup(folder, passphrase);
  const { manifest, part } = checked;
  const { workspace } = manifest;
  const key = part.keys.find(({ purpose }) => purpose === auditKeyOf(workspace));
  if (key === undefined) throw backupDamaged(folder, [`The key of ${workspace}'s audit log is not in it.`]);
  const { publicKey } = makeSigner(workspace, Buffer.from(key.material, 'base64'));
  // mkdtemp makes the folder with mode 0700.
  const stage = await mkdtemp(join(tmpdir(), 'cartulary-backup-'));
  try {
    await layOutBackup(checked, stage, { git });
    migrate(folder, pathsOf(stage, workspace).sidecar, migrations);
    await requireSound(checked, stage, { git, publicKey });
    return manifest;
  } catch (error) {
    throw error instanceof GitProgramMissing ? invalidRequest('git_missing', error.message) : error;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

function migrate(folder: string, sidecar: string, migrations: string): void {
  try {
    openSidecar(sidecar, migrations).close();
  } catch (error) {
    throw sidecarUnreadable(folder, error);
  }
}
