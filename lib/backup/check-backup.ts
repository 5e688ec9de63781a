import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { workspaceNamePattern } from '../access/secret.js';
import { invalidRequest, Refusal } from '../domain/refusal.js';
import type { ServicePart } from '../sidecar/service-file.js';
import { openRegular, readUpTo, UnfitFile } from '../disk/open-regular.js';
import { backupFiles, describeAs, digestManifest, type BackupFile, type BackupManifest } from './backup-manifest.js';
import { SealBroken } from '../sealing/seal-to.js';
import { openWithPassphrase } from '../sealing/seal-with-passphrase.js';

/** A backup with unchanged files. */
export interface CheckedBackup {
  readonly folder: string;
  readonly manifest: BackupManifest;
  readonly part: ServicePart;
}

/** The problems of a backup, a sentence each. Nothing has been changed. */
export function backupDamaged(folder: string, problems: readonly string[]): Refusal {
  return invalidRequest('backup_damaged', [`The backup in ${folder} is not sound.`, ...problems].join('\n'), {
    problems,
  });
}

/** The problems that `backupDamaged` names; undefined for any other fault. */
export function problemsOf(error: unknown): readonly string[] | undefined {
  const details = error instanceof Refusal ? error.details : undefined;
  return details?.reason === 'backup_damaged' ? details.problems : undefined;
}

/**
 * Compares every file of a backup with the manifest, and opens the sealed part. The seal shows whether the manifest is
 * the original one. Writes nothing.
 * @param manifestName another one while the backup is being made
 * @throws Refusal INVALID_REQUEST `backup_damaged`, with all problems
 */
export async function checkBackup(
  folder: string,
  passphrase: string,
  manifestName: string = backupFiles.manifest,
): Promise<CheckedBackup> {
  const manifest = await readManifest(folder, manifestName);
  const problems: string[] = [];
  for (const file of manifest.files) {
    const problem = await problemWith(join(folder, file.name), file);
    if (problem !== undefined) problems.push(problem);
  }
  const names = manifest.files.map(({ name }) => name);
  const needed = [backupFiles.sidecar, backupFiles.sealed, ...(manifest.commit === null ? [] : [backupFiles.bundle])];
  for (const name of needed) if (!names.includes(name)) problems.push(`The manifest does not list ${name}.`);
  if (problems.length > 0) throw backupDamaged(folder, problems);
  return { folder, manifest, part: await openSealed(folder, manifest, passphrase) };
}

/** Maximum of bytes read of the manifest and of the sealed part. Ten thousand archives need far less. */
const maxTextLength = 16 * 1024 * 1024;

/** @throws Error; the system's error if the file cannot be read */
async function readText(path: string): Promise<string> {
  const handle = await openRegular(path, 'followed');
  try {
    const bytes = await readUpTo(handle, maxTextLength);
    if (bytes === undefined) throw new UnfitFile(`has more than ${maxTextLength} bytes`);
    return bytes.toString('utf8');
  } finally {
    await handle.close();
  }
}

/** @throws Refusal INVALID_REQUEST `backup_damaged`; the system's error where the folder cannot be reached */
export async function readManifest(folder: string, name: string): Promise<BackupManifest> {
  let manifest: Partial<BackupManifest>;
  try {
    manifest = JSON.parse(await readText(join(folder, name))) as Partial<BackupManifest>;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing ? `is missing: this is no backup, or one that was not finished` : `cannot be read`;
    throw backupDamaged(folder, [`${backupFiles.manifest} ${reason}.`]);
  }
  if (!isManifest(manifest)) {
    throw backupDamaged(folder, [`${backupFiles.manifest} is not of a form that this release knows.`]);
  }
  return manifest;
}

const fileName = /^(?:content\.bundle|sidecar\.sqlite|service\.sealed|audit\/[0-9a-z-]+\.jsonl\.gz)$/;

/** Whether a manifest may list a file of this name. */
export const isListedFile = (name: string): boolean => fileName.test(name);

function isManifest(manifest: Partial<BackupManifest> | null): manifest is BackupManifest {
  const { format, workspace, release, taken_at, commit, audit, files } = manifest ?? {};
  return (
    format === 'cartulary-backup-1' &&
    typeof workspace === 'string' &&
    workspaceNamePattern.test(workspace) &&
    typeof release === 'string' &&
    typeof taken_at === 'string' &&
    (commit === null || /^[0-9a-f]{40}$/.test(String(commit))) &&
    Number.isSafeInteger(audit?.seq) &&
    typeof audit?.hash === 'string' &&
    Array.isArray(files) &&
    files.every((file: Partial<BackupFile> | null) => fileName.test(String(file?.name)))
  );
}

/**
 * The problem of a backup's file, a sentence. Undefined for a sound file.
 * @param path the file's place, or the place of its copy
 */
export async function problemWith(path: string, { name, bytes, sha256 }: BackupFile): Promise<string | undefined> {
  let found: BackupFile;
  try {
    const { size } = await stat(path);
    if (size !== bytes) return `${name} has ${size} bytes, and the manifest says ${bytes}.`;
    found = await describeAs(name, path);
  } catch (error) {
    if (error instanceof UnfitFile) return `${name} ${error.message}.`;
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `${name} is missing.` : `${name} cannot be read: ${message}.`;
  }
  return found.sha256 === sha256 ? undefined : `${name} was changed: it has another SHA-256 than the manifest says.`;
}

async function openSealed(folder: string, manifest: BackupManifest, passphrase: string): Promise<ServicePart> {
  const name = backupFiles.sealed;
  try {
    const sealed = await readText(join(folder, name));
    const belongsTo = digestManifest(manifest, manifest.files);
    const part = JSON.parse(await openWithPassphrase(sealed, passphrase, belongsTo)) as ServicePart;
    if (part.workspace === manifest.workspace) return part;
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    throw backupDamaged(folder, [`${name} ${error.message}.`]);
  }
  throw backupDamaged(folder, [`${name} is of another workspace.`]);
}
