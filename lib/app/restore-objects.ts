import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Config } from '../config.js';
import { describeError } from '../domain/describe-error.js';
import { formatTime } from '../domain/clock.js';
import { verifyWorkspace } from '../integrity/verify-workspace.js';
import { anyCommit } from '../audit/verify-chain.js';
import { KeyMalformed, parseIdentity } from '../sealing/age-keys.js';
import { SealBroken } from '../sealing/seal-to.js';
import { PageSetDamaged } from '../sidecar/page-set.js';
import { BucketFault } from '../stored/bucket-fault.js';
import type { Bucket } from '../stored/bucket.js';
import { ForeignRecord } from '../stored/lives.js';
import { MissingKey, MissingSet } from '../stored/restore-shard.js';
import { NothingToRestore, restoreService, type RestoreProgress } from '../stored/restore-service.js';
import { ObjectUnreadable } from '../stored/seal-object.js';
import { schemaPath } from './upgrade.js';
import type { CommandError } from '../commands/command.js';

export interface RestoreObjectsOptions {
  readonly config: Pick<Config, 'data' | 'git'>;
  readonly bucket: Bucket;
  /** A file with secret keys of age. */
  readonly identityFile: string;
  /** Milliseconds since 1970; undefined for the newest state. */
  readonly at: number | undefined;
  readonly life: string | undefined;
  /** The one workspace that is wanted; undefined for all. */
  readonly only: string | undefined;
  readonly signal: AbortSignal;
}

/** What was restored. Names of members as in JSON. */
export interface RestoredObjects {
  readonly data: string;
  readonly life: string;
  /** The newest of all moments. */
  readonly at: string;
  readonly workspaces: readonly { readonly workspace: string; readonly at: string; readonly files: number }[];
}

/** Restores a data folder from a bucket, and checks each workspace. Never throws for what the bucket or a key lacks. */
export async function restoreObjects(
  { config, bucket, identityFile, at, life, only, signal }: RestoreObjectsOptions,
  onProgress: (progress: Omit<RestoreProgress, 'doing'> & { readonly doing: string }) => void,
): Promise<{ readonly result: RestoredObjects } | { readonly error: CommandError }> {
  const { data, git } = config;
  if (existsSync(data) && readdirSync(data).length > 0) {
    return refuse(`${data} is not empty. Name a new folder with --data.`, {
      reason: 'folder_not_empty',
      field: 'data',
    });
  }
  try {
    const identities = parseIdentity(await readIdentities(identityFile));
    const restored = await restoreService({
      bucket,
      identities,
      at,
      life,
      only,
      serviceMigrations: schemaPath('service'),
      dataFolder: data,
      git,
      signal,
      onProgress,
    });
    const problems: string[] = [];
    for (const { workspace } of restored.workspaces) {
      onProgress({ workspace, doing: 'check' });
      const found = await verifyWorkspace(
        { dataFolder: data, name: workspace, git, isQuick: true, restartedFrom: anyCommit },
        () => undefined,
      );
      for (const { message, location } of found.problems) problems.push(`${workspace}: ${location ?? ''} ${message}`);
    }
    if (problems.length > 0) {
      const message = `The restored data in ${data} is not sound. ${problems.slice(0, 3).join(' ')} \`cartulary verify\` says more.`;
      return refuse(message, { problems });
    }
    const workspaces = restored.workspaces.map((each) => ({ ...each, at: formatTime(each.at) }));
    const newest = restored.workspaces.reduce((most, each) => Math.max(most, each.at), restored.at);
    return { result: { data, life: restored.life, at: formatTime(newest), workspaces } };
  } catch (error) {
    if (signal.aborted) return refuse('The restore was interrupted, and nothing of it stays. Run it again.');
    if (!isExpected(error)) throw error;
    return refuse(describeError(error));
  }
}

/** @throws KeyMalformed */
async function readIdentities(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new KeyMalformed(`The file with the secret key cannot be read: ${describeError(error)}`);
  }
}

function isExpected(error: unknown): boolean {
  const kinds = [BucketFault, ForeignRecord, KeyMalformed, MissingKey, MissingSet, NothingToRestore, ObjectUnreadable];
  if ([...kinds, PageSetDamaged, SealBroken].some((kind) => error instanceof kind)) return true;
  return ['ENOENT', 'EACCES', 'ENOSPC', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function refuse(message: string, details?: Readonly<Record<string, unknown>>): { readonly error: CommandError } {
  return { error: { code: 'INVALID_REQUEST', message, ...(details && { details }) } };
}
