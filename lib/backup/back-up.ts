import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { formatTime } from '../domain/clock.js';
import { conflict, invalidRequest, type Refusal } from '../domain/refusal.js';
import { GitProgramMissing } from '../git/repositories/repository.js';
import type { Snapshot } from '../sidecar/sidecar.js';
import { readHead } from '../audit/chain.js';
import { backupFiles, describeFile, digestManifest, type BackupFile, type BackupManifest } from './backup-manifest.js';
import type { BackupCheck, FoundProblems } from './check-backup-worker.js';
import { checkBackup, problemsOf } from './check-backup.js';
import { sealWithPassphrase } from '../sealing/seal-with-passphrase.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { ChainSigner } from '../audit/signed-checkpoint.js';
import type { Repository } from '../git/repositories/repository.js';
import type { ServicePart } from '../sidecar/service-file.js';
import type { Eraser } from '../erase/eraser.js';
import type { Checkpointer } from '../journal/checkpoint.js';
import type { Journal } from '../journal/journal.js';
import { syncPath } from '../disk/sync-path.js';
import { startThread } from '../scheduling/start-thread.js';

/** The workspace to back up. */
export interface BackedUpWorkspace {
  readonly name: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly journal: Journal;
  readonly checkpointer: Checkpointer;
  readonly repository: Repository;
  readonly eraser: Pick<Eraser, 'holdOff'>;
  readonly signer: ChainSigner;
  /** The folder with the archives of the audit log; null in memory. */
  readonly archives: string | null;
  /** `release`: of the program. `readServicePart`: reads the service file's data about the workspace. */
  readonly origin: { readonly release: string; readServicePart(): ServicePart };
}

export interface BackUpOptions {
  /** Absolute path of an empty or missing folder. */
  readonly folder: string;
  /** Opens the sealed part again. */
  readonly passphrase: string;
  /** scrypt's N. Left out: the usual one. */
  readonly cost?: number | undefined;
  /** Called with what the backup waits for, where it has to. */
  readonly onWait?: ((this: void, what: string) => void) | undefined;
}

/**
 * Writes everything in a workspace into a folder while it is served. The folder gets the history as a git bundle, a
 * copy of the sidecar, and archives of the audit chain. The service file's data about it is sealed by the passphrase.
 *
 * All of it is of one point of the journal. The sidecar is pinned first. Everything that its commit needs then moves
 * into the repository, which only ever grows. Exactly that commit is bundled, regardless of later writes.
 *
 * A thread then checks all of it as a restore does. Only a sound backup gets its manifest, and a folder without one is
 * no backup. Of an unsound backup, nothing stays.
 *
 * @throws Refusal INVALID_REQUEST `folder_not_empty`, `git_missing`, `no_data_folder`; CONFLICT `backup_unsound`
 */
export async function backUp(workspace: BackedUpWorkspace, options: BackUpOptions): Promise<BackupManifest> {
  const { folder } = options;
  if (workspace.journal.sidecar.isInMemory) {
    throw invalidRequest('no_data_folder', 'A workspace in memory ends with its process and cannot be backed up.');
  }
  const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
  // An existing folder may be open to other accounts, which could put links in the place of its files. Some disks keep
  // no modes.
  if (!isNew) await chmod(folder, 0o700).catch(() => undefined);
  const unchecked = await claimFolder(folder);
  try {
    // An erase removes nothing during the copy. A waiting erase is finished where the backup is restored.
    const manifest = await workspace.eraser.holdOff(() => writeBackup(workspace, options, unchecked), options.onWait);
    await requireRestorable(workspace, options);
    await rename(join(folder, backupFiles.unchecked), join(folder, backupFiles.manifest));
    await syncPath(folder);
    return manifest;
  } catch (error) {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
    if (isNew) await rm(folder, { recursive: true, force: true });
    if (error instanceof GitProgramMissing) throw invalidRequest('git_missing', error.message);
    throw error;
  } finally {
    await unchecked.close();
  }
}

/** Follows no link, and overwrites no file. */
const newFile = { mode: 0o600, flag: 'wx' };

/**
 * Makes the folder this backup's own: of two that begin in it at once, one makes the file. Otherwise the one that fails
 * would remove the files of the other.
 * @returns the file for the manifest before the check
 */
async function claimFolder(folder: string): Promise<FileHandle> {
  const refused = (): Refusal =>
    invalidRequest('folder_not_empty', `${folder} is not empty. Name a folder for this backup alone.`, {
      field: 'folder',
    });
  if ((await readdir(folder)).length > 0) throw refused();
  const { flag, mode } = newFile;
  return open(join(folder, backupFiles.unchecked), flag, mode).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? refused() : error;
  });
}

async function writeBackup(
  workspace: BackedUpWorkspace,
  { folder, passphrase, cost }: BackUpOptions,
  unchecked: FileHandle,
): Promise<BackupManifest> {
  const at = (name: string): string => join(folder, name);
  await workspace.checkpointer.run();
  const pinned = workspace.journal.sidecar.openSnapshot();
  let facts: Omit<BackupManifest, 'files'>;
  let archives: string[];
  try {
    facts = describePoint(workspace, pinned);
    archives = pinned.tables.auditArchives.list().map(({ file }) => file);
    await pinned.copyTo(at(backupFiles.sidecar));
  } finally {
    pinned.close();
  }
  const names: string[] = [backupFiles.sidecar];
  if (facts.commit !== null) {
    await workspace.checkpointer.run();
    await workspace.repository.bundle(facts.commit, at(backupFiles.bundle));
    names.push(backupFiles.bundle);
  }
  if (archives.length > 0) await mkdir(at(backupFiles.archives), { mode: 0o700 });
  for (const file of archives) {
    const name = `${backupFiles.archives}/${file}`;
    await copyFile(join(workspace.archives ?? '', file), at(name), constants.COPYFILE_EXCL);
    names.push(name);
  }
  const files: BackupFile[] = [];
  for (const name of names) files.push(await describeFile(folder, name));
  const sealed = await sealWithPassphrase(JSON.stringify(workspace.origin.readServicePart()), {
    passphrase,
    belongsTo: digestManifest(facts, files),
    randomness: workspace.randomness,
    cost,
  });
  await writeFile(at(backupFiles.sealed), sealed, newFile);
  files.push(await describeFile(folder, backupFiles.sealed));
  for (const { name } of files) await syncPath(at(name));
  const manifest = { ...facts, files };
  await unchecked.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
  await unchecked.sync();
  if (archives.length > 0) await syncPath(at(backupFiles.archives));
  await syncPath(folder);
  return manifest;
}

/** The folder in which the backup is laid out for the check. It holds no key: keys are sealed. */
const checkedIn = '.checking';

/** @throws Refusal CONFLICT `backup_unsound` when a restore would refuse it */
async function requireRestorable(workspace: BackedUpWorkspace, { folder, passphrase }: BackUpOptions): Promise<void> {
  const stage = join(folder, checkedIn);
  await mkdir(stage, { mode: 0o700 });
  try {
    const { manifest } = await checkBackup(folder, passphrase, backupFiles.unchecked);
    const git = workspace.repository.place?.git ?? 'never';
    const problems = await checkInThread({ folder, manifest, stage, git, publicKey: workspace.signer.publicKey });
    if (problems.length > 0) throw backupUnsound(folder, problems);
  } catch (error) {
    const problems = problemsOf(error);
    throw problems === undefined ? error : backupUnsound(folder, problems);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

function checkInThread(check: BackupCheck): Promise<FoundProblems> {
  const worker = startThread(new URL('./check-backup-worker.js', import.meta.url), { workerData: check });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The check of the backup was ended.')));
  });
}

function backupUnsound(folder: string, problems: readonly string[]): Refusal {
  const sentences = [
    `No backup was made: what was written to ${folder} could not be restored, and was taken away again.`,
    ...problems,
    'What `cartulary verify` names too is wrong in the workspace itself, and it says what to do. Anything else went ' +
      'wrong on the way: look whether that disk has room for twice the backup, and take another one if not. Until a ' +
      'backup succeeds, copy the data folder while the service is stopped.',
  ];
  return conflict('backup_unsound', sentences.join('\n'), { problems });
}

function describePoint(workspace: BackedUpWorkspace, { tables }: Snapshot): Omit<BackupManifest, 'files'> {
  const { seq, hash } = readHead(tables.audit);
  return {
    format: 'cartulary-backup-1',
    workspace: workspace.name,
    release: workspace.origin.release,
    taken_at: formatTime(workspace.clock.now()),
    commit: tables.meta.get('head') ?? null,
    audit: { seq, hash },
  };
}
