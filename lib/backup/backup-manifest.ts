import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openRegular } from '../disk/open-regular.js';
import { hashOpened } from '../scheduling/hash-file.js';

/** Names of a backup's files, except the archives of the audit chain in `audit/`. */
export const backupFiles = {
  manifest: 'manifest.json',
  /** The manifest's name until the backup has been checked: a folder without `manifest.json` is no backup. */
  unchecked: 'manifest.json.unchecked',
  bundle: 'content.bundle',
  sidecar: 'sidecar.sqlite',
  sealed: 'service.sealed',
  archives: 'audit',
} as const;

/** The identity of a backup, and the expected state of each of its files. */
export interface BackupManifest {
  readonly format: 'cartulary-backup-1';
  readonly workspace: string;
  /** The release that made it. */
  readonly release: string;
  /** RFC 3339 UTC. */
  readonly taken_at: string;
  /** The newest commit in it; null for a workspace without content. */
  readonly commit: string | null;
  /** The head of the audit chain. */
  readonly audit: { readonly seq: number; readonly hash: string };
  readonly files: readonly BackupFile[];
}

export interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** @param name relative to the folder, with forward slashes */
export function describeFile(folder: string, name: string): Promise<BackupFile> {
  return describeAs(name, join(folder, name));
}

/**
 * @param name the file's name in a backup
 * @param path the file's present path
 * @throws UnfitFile for anything that is not a file; the system's error where it cannot be read
 */
export async function describeAs(name: string, path: string): Promise<BackupFile> {
  const handle = await openRegular(path, 'followed');
  try {
    return { name, bytes: (await handle.stat()).size, sha256: await hashOpened(handle) };
  } finally {
    await handle.close();
  }
}

/**
 * Digests the manifest's entries about everything except the sealed part, which is bound to the digest. A change of a
 * file and its entry here breaks the seal.
 */
export function digestManifest(manifest: Omit<BackupManifest, 'files'>, files: readonly BackupFile[]): string {
  const others = files
    .filter(({ name }) => name !== backupFiles.sealed)
    .map(({ name, bytes, sha256 }) => [name, bytes, sha256]);
  const { format, workspace, release, taken_at, commit, audit } = manifest;
  const members = [format, workspace, release, taken_at, commit, audit.seq, audit.hash, others];
  return createHash('sha256').update(JSON.stringify(members)).digest('hex');
}
