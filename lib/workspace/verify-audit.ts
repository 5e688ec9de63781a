import { exportRecords } from '../audit/export.js';
import { verifyChain, type ChainVerdict, type KnownHead } from '../audit/verify.js';
import { decodeCommit } from '../git/objects.js';
import { readAnyObject, type ReadOnlyWorkspace } from './open-read-only.js';

const trailer = /^Audit-Head: (\d{1,15}) ([0-9a-f]{64})$/m;

/**
 * Where the audit chain stood when the repository's newest commit was made, as that commit says. Each record's hash
 * covers all before it, so this one witness outside the sidecar pins everything up to it.
 */
export async function readWitness(workspace: ReadOnlyWorkspace): Promise<KnownHead | undefined> {
  const { repositoryHead } = workspace;
  if (repositoryHead === null) return undefined;
  const { message } = decodeCommit((await readAnyObject(workspace, repositoryHead)).bytes);
  // The last paragraph is always the service's own; a writer's words come before it.
  const match = trailer.exec(message.trimEnd().split('\n\n').at(-1) ?? '');
  return match === null ? undefined : { seq: Number(match[1]), hash: match[2] ?? '' };
}

/** Checks the whole audit chain, and that it still is the one that the repository bears witness of. */
export async function verifyAuditChain(workspace: ReadOnlyWorkspace): Promise<ChainVerdict> {
  const witness = await readWitness(workspace);
  return verifyChain(exportRecords(workspace.sidecar.reader.audit, true), witness === undefined ? [] : [witness]);
}
