import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { nodeFileSystem, type FileSystem } from '../git/file-system.js';
import { createRepository } from '../git/repositories/open-repository.js';
import { openSidecar } from '../sidecar/sidecar.js';
import { pathsOf } from './workspace-paths.js';

export { pathsOf } from './workspace-paths.js';

/** Inputs for a workspace's files. */
export interface NewWorkspaceFiles {
  /** The data folder, or null for a workspace in memory. */
  readonly dataFolder: string | null;
  /** The folder with the sidecar's schema. */
  readonly migrations: string;
  /** `never` reads without a git program. */
  readonly git: 'auto' | 'never';
  /** The file system for writing the repository; the machine's own if left out. */
  readonly fs?: FileSystem;
}

/**
 * Makes a workspace's files, complete or not at all: they are created under another name and are renamed last.
 * @throws Error when a workspace of that name exists
 */
export async function createWorkspace(files: NewWorkspaceFiles, name: string): Promise<void> {
  if (files.dataFolder === null) return;
  const final = pathsOf(files.dataFolder, name).folder;
  if (existsSync(final)) throw new Error(`${final} is there already.`);
  const making = pathsOf(files.dataFolder, `.${name}.tmp`);
  await rm(making.folder, { recursive: true, force: true });
  await mkdir(making.folder, { recursive: true, mode: 0o700 });
  const fs = files.fs ?? nodeFileSystem;
  const repository = await createRepository({ path: making.repository, git: files.git, fs });
  await repository.close();
  openSidecar(making.sidecar, files.migrations).close();
  await fs.syncFolder(making.folder);
  await rename(making.folder, final);
  await fs.syncFolder(files.dataFolder);
}
