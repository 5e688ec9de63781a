import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAuditKey } from '../audit/signed-checkpoint.js';
import { conflict, invalidRequest } from '../domain/refusal.js';
import { writeBundle } from '../git/packs/write-bundle.js';
import { takeBundle } from '../git/sources/take-bundle.js';
import { openClone } from '../git/sources/clone.js';
import { nodeFileSystem } from '../git/file-system.js';
import { decodeCommit, type Oid } from '../git/objects/objects.js';
import { openRepository } from '../git/repositories/open-repository.js';
import { GitProgramMissing, RepositoryUnreadable } from '../git/repositories/repository.js';
import { auditKeyOf, openServiceFile, type ServiceFile, type ServicePart } from '../sidecar/service-file.js';
import { openSidecar } from '../sidecar/sidecar.js';
import { backupFiles } from './backup-manifest.js';
import type { CheckedBackup } from './check-backup.js';
import type { Clock, Randomness } from '../domain/clock.js';
import { createWorkspace, pathsOf, type NewWorkspaceFiles } from '../journal/workspace-files.js';
import { EntryCount } from '../git/sources/count-tree-entries.js';
import type { ReadableRepository } from '../git/repositories/open-read-only.js';
import { decodeHistory } from '../history/read-history.js';

/** Files and folders that one commit of a clone may have, unless the operator allows more. */
const usualExtent = 1_000_000;

/** The files of a workspace on its way into a data folder. */
export interface StagedFiles extends NewWorkspaceFiles {
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Receives each fault that the service survives, for the log. */
  readonly onFault: (what: string, cause: unknown) => void;
}

/** The options for staging a workspace in a data folder. */
export interface StageOptions {
  readonly files: StagedFiles;
  /** The folder with the schema of the service's file. */
  readonly serviceMigrations: string;
  /** Whether the service's file lists a workspace of that name, so that its folder is in use. */
  readonly isListed: (name: string) => boolean;
}

/** A complete workspace, not yet among the others: it lies in a small data folder of its own. */
export interface StagedWorkspace {
  readonly name: string;
  readonly part: ServicePart;
  /** That data folder. */
  readonly stage: string;
}

/**
 * A mark in a folder that is put in its place before the service's file knows of it. It means nothing in the folder of
 * a listed workspace.
 */
export const unfinished = 'unfinished';

/**
 * Makes an empty folder in which to make a workspace. A folder left in its place by an interrupted restore gives way,
 * if no service has listed it since. A listed workspace that has lost its folder can be made again.
 * @throws Refusal CONFLICT `name_taken` when there is a workspace, or a folder, of that name; INVALID_REQUEST
 * `git_missing`
 */
export async function prepareStage({ files, isListed }: StageOptions, name: string): Promise<string> {
  if (files.git === 'never') throw gitMissing(new GitProgramMissing('restore a workspace'));
  const { folder } = pathsOf(files.dataFolder, name);
  if (!isListed(name) && existsSync(join(folder, unfinished))) await rm(folder, { recursive: true, force: true });
  if (existsSync(folder)) throw conflict('name_taken', `${folder} is there already. Nothing is ever replaced.`);
  const stage = stageOf(files.dataFolder, name);
  await rm(stage, { recursive: true, force: true });
  await mkdir(stage, { recursive: true, mode: 0o700 });
  return stage;
}

/**
 * Makes a workspace from a backup, on stable storage. It checks the bundle object by object, and the rest as
 * `requireSound` does. The sidecar is migrated to this release's schema first.
 * @throws Refusal INVALID_REQUEST `backup_damaged`, `git_missing`
 */
export async function stageBackup(
  backup: CheckedBackup,
  stage: string,
  options: StageOptions,
): Promise<StagedWorkspace> {
  const { folder, manifest, part } = backup;
  const { files } = options;
  const name = manifest.workspace;
  keepPart(stage, options, part);
  // It brings the whole verification along, which a start does not need.
  const { layOutBackup, requireSound, sidecarUnreadable } = await import('./lay-out-backup.js');
  try {
    await layOutBackup(backup, stage, files);
  } catch (error) {
    throw error instanceof GitProgramMissing ? gitMissing(error) : error;
  }
  try {
    openSidecar(pathsOf(stage, name).sidecar, files.migrations).close();
  } catch (error) {
    throw sidecarUnreadable(folder, error);
  }
  await requireSound(backup, stage, files);
  return { name, part, stage };
}

export interface CloneSource {
  /** The clone's folder. */
  readonly clone: string;
  /** Maximum of files and folders in one commit. */
  readonly maxFiles?: number | undefined;
}

/**
 * Makes a workspace of a clone's content and history, without principals, and without rows yet: a rebuild makes them.
 * @throws Refusal INVALID_REQUEST `bad_clone`, `git_missing`
 */
export async function stageClone(
  { clone, maxFiles = usualExtent }: CloneSource,
  name: string,
  stage: string,
  options: StageOptions,
): Promise<StagedWorkspace> {
  const { files } = options;
  const now = files.clock.now();
  const key = Buffer.from(makeAuditKey(files.randomness)).toString('base64');
  const part = {
    workspace: name,
    createdAt: now,
    keys: [{ purpose: auditKeyOf(name), material: key, createdAt: now }],
  };
  keepPart(stage, options, part);
  await createWorkspace({ ...files, dataFolder: stage }, name);
  const paths = pathsOf(stage, name);
  try {
    const { head, tree } = await takeClone(clone, paths.repository, join(stage, backupFiles.bundle), {
      ...files,
      maxFiles,
    });
    const sidecar = openSidecar(paths.sidecar, files.migrations);
    sidecar.writer.meta.set('head', head);
    sidecar.writer.meta.set('tree', tree);
    sidecar.close();
  } catch (error) {
    if (error instanceof GitProgramMissing) throw gitMissing(error);
    if (error instanceof RepositoryUnreadable) {
      throw invalidRequest('bad_clone', `The clone cannot be taken in. ${error.message}`, { field: 'clone' });
    }
    throw error;
  }
  return { name, part, stage };
}

/**
 * Puts a staged workspace among the others, all of it or nothing. It lies in its place, on stable storage, before the
 * service's file lists it. The mark identifies the remains of an interrupted adoption. A lost workspace of the same
 * name is unlisted first: its keys and the new files would be a mixture of both.
 * @throws Error when it cannot be written; nothing of it stays then
 */
export async function adoptWorkspace(
  { name, part, stage }: StagedWorkspace,
  { dataFolder, fs = nodeFileSystem }: Pick<StageOptions['files'], 'dataFolder' | 'fs'>,
  serviceFile: ServiceFile,
): Promise<void> {
  const from = pathsOf(stage, name).folder;
  const to = pathsOf(dataFolder, name).folder;
  try {
    await writeFile(join(from, unfinished), '', { mode: 0o600 });
    await fs.syncFolder(from);
    serviceFile.forgetWorkspace(name);
    await fs.rename(from, to);
    try {
      await fs.syncFolder(dataFolder);
      serviceFile.takePart(part);
    } catch (error) {
      await rm(to, { recursive: true, force: true });
      throw error;
    }
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
  await removeMark(dataFolder, name);
}

/** For a listed workspace: a process that ended during its adoption can have left the mark. */
export async function removeMark(dataFolder: string, name: string): Promise<void> {
  await rm(join(pathsOf(dataFolder, name).folder, unfinished), { force: true });
}

function stageOf(dataFolder: string, name: string): string {
  return join(dataFolder, `.${name}.restoring`);
}

function gitMissing(error: GitProgramMissing): Error {
  return invalidRequest('git_missing', error.message);
}

/** A data folder needs a service's file. In a stage, that file holds only this workspace's part. */
function keepPart(stage: string, { serviceMigrations }: StageOptions, part: ServicePart): void {
  const file = openServiceFile(join(stage, 'service.sqlite'), serviceMigrations);
  try {
    file.takePart(part);
  } finally {
    file.close();
  }
}

async function takeClone(
  clone: string,
  repository: string,
  bundle: string,
  { git, fs = nodeFileSystem, maxFiles }: Pick<StageOptions['files'], 'git' | 'fs'> & { maxFiles: number },
): Promise<{ head: Oid; tree: Oid }> {
  const opened = await openClone(clone);
  try {
    await writeBundle(opened.foreign.git, opened.foreign.path, opened.head, bundle);
  } finally {
    await opened.close();
  }
  const created = await openRepository({ path: repository, git });
  try {
    const head = await takeBundle(repository, bundle);
    await fs.syncFolder(join(repository, 'objects', 'pack'));
    await checkExtent(created, head, maxFiles);
    await created.moveHead(head);
    return { head, tree: decodeCommit((await created.read(head)).bytes).tree };
  } finally {
    await created.close();
    await rm(bundle, { force: true });
  }
}

/**
 * Requires that no commit of a history has more files and folders than a person would read. They are counted without
 * reading them all, because few objects can stand for any number.
 * @throws RepositoryUnreadable with a sentence that names the commit and the bound; ObjectNotFound
 */
async function checkExtent(repository: ReadableRepository, head: Oid, most: number): Promise<void> {
  const count = new EntryCount(async (tree) => (await repository.read(tree)).bytes, most);
  for await (const group of decodeHistory(repository, head)) {
    for (const { oid, commit } of group) {
      if ((await count.below(commit.tree)) <= most) continue;
      throw new RepositoryUnreadable(
        `Commit ${oid} has more than ${most} files and folders. If that is meant, allow more with --max-files.`,
      );
    }
  }
}
