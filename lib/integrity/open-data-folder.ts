import { createPublicKey, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { makeSigner } from '../audit/signed-checkpoint.js';
import { hashObject, type GitObject, type Oid } from '../git/objects/objects.js';
import { openRepositoryReadOnly, type ReadableRepository } from '../git/repositories/open-read-only.js';
import { readPending } from '../journal/pending-object.js';
import { openSidecarReadOnly, type SidecarSnapshot } from '../sidecar/sidecar.js';
import { auditKeyOf, listWorkspaceNames, readKey } from '../sidecar/service-file.js';
import { requireSidecar } from '../journal/recover.js';
import { pathsOf, serviceName } from '../journal/workspace-paths.js';
import type { Tables } from '../sidecar/tables.js';

export interface ReadOnlyOptions {
  readonly dataFolder: string;
  readonly name: string;
  readonly git: 'auto' | 'never';
  /**
   * The public key of the audit chain, in PEM. Left out, it is made from the one in the service's file. With null,
   * signatures are not checked.
   */
  readonly publicKey?: string | null;
}

/**
 * A workspace opened for reading only, perhaps beside a running server. Objects are recorded in the sidecar first, and
 * the repository's head was read before the sidecar's snapshot. So everything that the head needs is in one or the
 * other.
 */
export interface ReadOnlyWorkspace {
  readonly name: string;
  readonly sidecar: SidecarSnapshot;
  readonly repository: ReadableRepository;
  /** The repository's main. */
  readonly repositoryHead: Oid | null;
  /** The folder of the audit chain's archives. */
  readonly archives: string;
  /** The key to check signatures of the audit chain. Undefined where it is not known. */
  readonly publicKey: KeyObject | undefined;
  close(): Promise<void>;
}

/** The places of a workspace's objects. */
export interface ObjectSource {
  readonly sidecar: { readonly reader: Tables };
  readonly repository: Pick<ReadableRepository, 'read'>;
}

/** The workspaces of a data folder. @throws Error when the service's file cannot be read */
export function listWorkspaces(dataFolder: string): string[] {
  return listWorkspaceNames(join(dataFolder, serviceName));
}

/** @throws RepositoryUnreadable; WorkspaceUnsound when the sidecar is gone; Error when it cannot be read */
export async function openReadOnly(options: ReadOnlyOptions): Promise<ReadOnlyWorkspace> {
  const { dataFolder, name, git } = options;
  const paths = pathsOf(dataFolder, name);
  const repository = await openRepositoryReadOnly({ path: paths.repository, git });
  try {
    const repositoryHead = await repository.head();
    const publicKey = findPublicKey(options);
    requireSidecar(name, paths.sidecar);
    const sidecar = openSidecarReadOnly(paths.sidecar);
    return {
      name,
      sidecar,
      repository,
      repositoryHead,
      archives: paths.archives,
      publicKey,
      async close() {
        sidecar.close();
        await repository.close();
      },
    };
  } catch (error) {
    await repository.close();
    throw error;
  }
}

function findPublicKey({ dataFolder, name, publicKey }: ReadOnlyOptions): KeyObject | undefined {
  if (publicKey === null) return undefined;
  if (publicKey !== undefined) return createPublicKey(publicKey);
  const key = readKey(join(dataFolder, serviceName), auditKeyOf(name));
  return key === undefined ? undefined : createPublicKey(makeSigner(name, key).publicKey);
}

/**
 * Reads an object, either pending in the sidecar or in the repository.
 * @throws ObjectNotFound, RepositoryUnreadable; Error when a pending object does not match its name
 */
export async function readAnyObject({ sidecar, repository }: ObjectSource, oid: Oid): Promise<GitObject> {
  const pending = readPending(sidecar.reader.objects, oid);
  if (pending === undefined) return repository.read(oid);
  if (hashObject(pending.type, pending.bytes) !== oid)
    throw new Error(`The pending object ${oid} holds something else.`);
  return pending;
}
