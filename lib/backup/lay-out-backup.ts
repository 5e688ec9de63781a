import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readHead } from '../audit/chain.js';
import { anyCommit } from '../audit/verify-chain.js';
import { takeBundle } from '../git/sources/take-bundle.js';
import { copyDurably, nodeFileSystem, type FileSystem } from '../git/file-system.js';
import { createRepository } from '../git/repositories/open-repository.js';
import { RepositoryUnreadable } from '../git/repositories/repository.js';
import { openSidecarReadOnly, type SidecarSnapshot } from '../sidecar/sidecar.js';
import { backupFiles, type BackupManifest } from './backup-manifest.js';
import { backupDamaged, problemWith } from './check-backup.js';
import { pathsOf } from '../journal/workspace-files.js';
import { verifyWorkspace } from '../integrity/verify-workspace.js';

/** A backup's files, without the sealed part. */
export interface BackupToLayOut {
  readonly folder: string;
  readonly manifest: BackupManifest;
}

export interface LayOutOptions {
  readonly git: 'auto' | 'never';
  readonly fs?: FileSystem | undefined;
}

/**
 * Copies a workspace's repository, sidecar and archives from a backup into a data folder, on stable storage.
 * @param stage a data folder without a workspace of that name
 * @throws Refusal INVALID_REQUEST `backup_damaged`; GitProgramMissing
 */
export async function layOutBackup(
  backup: BackupToLayOut,
  stage: string,
  { git, fs = nodeFileSystem }: LayOutOptions,
): Promise<void> {
  const { folder, manifest } = backup;
  const paths = pathsOf(stage, manifest.workspace);
  await mkdir(paths.folder, { mode: 0o700 });
  const repository = await createRepository({ path: paths.repository, git });
  try {
    if (manifest.commit !== null) {
      const head = await takeBundle(paths.repository, join(folder, backupFiles.bundle));
      if (head !== manifest.commit) {
        throw backupDamaged(folder, [`The bundle brings ${head}, and the manifest says ${manifest.commit}.`]);
      }
      await fs.syncFolder(join(paths.repository, 'objects', 'pack'));
      await repository.moveHead(head);
    }
  } catch (error) {
    if (error instanceof RepositoryUnreadable) throw backupDamaged(folder, [error.message]);
    throw error;
  } finally {
    await repository.close();
  }
  await copyChecked(backup, backupFiles.sidecar, paths.sidecar, fs);
  await copyArchives(backup, paths.archives, fs);
}

/**
 * Checks all of a laid-out backup: the manifest's point, the sidecar's integrity, and the audit chain with its
 * signatures. It also checks head and tree against the rows, every document's bytes, and the repository by git. A
 * single restart of the chain is no damage.
 * @param publicKey of the audit chain; left out, the one in the stage's own service file
 * @throws Refusal INVALID_REQUEST `backup_damaged` with all problems
 */
export async function requireSound(
  backup: BackupToLayOut,
  stage: string,
  { git, publicKey }: LayOutOptions & { readonly publicKey?: string },
): Promise<void> {
  requirePoint(backup, pathsOf(stage, backup.manifest.workspace).sidecar);
  const key = publicKey === undefined ? {} : { publicKey };
  const { problems } = await verifyWorkspace(
    { dataFolder: stage, name: backup.manifest.workspace, git, isQuick: true, restartedFrom: anyCommit, ...key },
    () => undefined,
  );
  if (problems.length === 0) return;
  throw backupDamaged(
    backup.folder,
    problems.map(({ part: of, message, location }) => `${of}: ${location ?? ''} ${message}`.replace(':  ', ': ')),
  );
}

/**
 * Copies a file of a backup and compares the copy with the manifest. The file may have been replaced since its check,
 * and its new content would decide about grants and keys.
 */
async function copyChecked(
  { folder, manifest }: BackupToLayOut,
  name: string,
  to: string,
  fs: FileSystem,
): Promise<void> {
  await copyDurably(fs, join(folder, name), to);
  const listed = manifest.files.find((file) => file.name === name);
  const problem = listed === undefined ? `The manifest does not list ${name}.` : await problemWith(to, listed);
  if (problem !== undefined) throw backupDamaged(folder, [problem]);
}

/** The archives hold records kept nowhere else. On return, they and their names are on stable storage. */
async function copyArchives(backup: BackupToLayOut, archives: string, fs: FileSystem): Promise<void> {
  const prefix = `${backupFiles.archives}/`;
  const names = backup.manifest.files.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  if (names.length === 0) return;
  await mkdir(archives, { recursive: true, mode: 0o700 });
  for (const name of names) await copyChecked(backup, name, join(archives, name.slice(prefix.length)), fs);
  await fs.syncFolder(archives);
}

/** Compares the sidecar's head with the manifest. */
function requirePoint({ folder, manifest }: BackupToLayOut, file: string): void {
  let sidecar: SidecarSnapshot;
  try {
    sidecar = openSidecarReadOnly(file);
  } catch (error) {
    throw sidecarUnreadable(folder, error);
  }
  try {
    const { seq, hash } = readHead(sidecar.reader.audit);
    const head = sidecar.reader.meta.get('head') ?? null;
    const problems: string[] = [];
    if (seq !== manifest.audit.seq || hash !== manifest.audit.hash) {
      problems.push(
        `The audit chain ends at record ${seq}, and the manifest says ${manifest.audit.seq}, or another hash.`,
      );
    }
    if (head !== manifest.commit)
      problems.push(`The sidecar stands at ${head}, and the manifest says ${manifest.commit}.`);
    if (problems.length > 0) throw backupDamaged(folder, problems);
  } finally {
    sidecar.close();
  }
}

export function sidecarUnreadable(folder: string, error: unknown): Error {
  return backupDamaged(folder, [`${backupFiles.sidecar} cannot be opened: ${(error as Error).message}`]);
}
