import { createPublicKey } from 'node:crypto';
import { exportChain, type ChainSource } from '../audit/export.js';
import { ArchiveUnreadable } from '../audit/read-archive.js';
import { recoverAction, type ChainVerdict, type KnownHead } from '../audit/verify.js';
import { verifySource } from '../audit/verify-source.js';
import type { AuditRecord } from '../domain/audit-record.js';
import { decodeCommit } from '../git/objects.js';
import { findAuditHead, findTime, findVersion } from './trailers.js';
import { readAnyObject, type ReadOnlyWorkspace } from './open-read-only.js';

/**
 * Where the audit chain stood when the repository's newest commit was made, as that commit says. Each record's hash
 * covers all before it, so this one witness outside the sidecar pins everything up to it.
 */
export async function readWitness(workspace: ReadOnlyWorkspace): Promise<KnownHead | undefined> {
  const { repositoryHead } = workspace;
  if (repositoryHead === null) return undefined;
  const { bytes } = await readAnyObject(workspace, repositoryHead);
  const head = findAuditHead(decodeCommit(bytes).message);
  return head === undefined ? undefined : { ...head, witness: `commit ${repositoryHead}` };
}

/**
 * Checks the whole audit chain with its signatures, and that it still is the one that the repository bears witness of.
 * @param known further heads that were seen elsewhere
 */
export async function verifyAuditChain(
  workspace: ReadOnlyWorkspace,
  known: readonly KnownHead[] = [],
): Promise<ChainVerdict> {
  const { name, archives, signer } = workspace;
  const publicKey = signer === undefined ? undefined : createPublicKey(signer.publicKey);
  const source = { workspace: name, tables: workspace.sidecar.reader, archives };
  const witness = (await isOlderThanChain(workspace, source)) ? undefined : await readWitness(workspace);
  return verifySource(source, witness === undefined ? known : [witness, ...known], publicKey);
}

/**
 * Whether the newest commit bears witness of another chain, since the workspace was made from a clone and this one begun
 * anew then: it is the one that the workspace was made from, or, after an erase took that, one from before.
 */
async function isOlderThanChain(workspace: ReadOnlyWorkspace, source: ChainSource): Promise<boolean> {
  const { repositoryHead } = workspace;
  const recovery = repositoryHead === null ? undefined : await findRecovery(source);
  if (recovery === undefined || repositoryHead === null) return false;
  const { message } = decodeCommit((await readAnyObject(workspace, repositoryHead)).bytes);
  const id = findVersion(message) ?? repositoryHead;
  return id === recovery.version || (findTime(message) ?? Number.POSITIVE_INFINITY) < Date.parse(recovery.at);
}

/** The record that the workspace was made from a clone, where the chain was begun anew then. */
async function findRecovery(source: ChainSource): Promise<AuditRecord | undefined> {
  try {
    for await (const line of exportChain(source, false)) {
      return 'record' in line && line.record.action === recoverAction ? line.record : undefined;
    }
  } catch (error) {
    if (!(error instanceof ArchiveUnreadable)) throw error;
  }
  return undefined;
}
