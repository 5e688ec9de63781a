import { exportChain, type ChainSource } from '../audit/export.js';
import { ArchiveUnreadable } from '../audit/read-archive.js';
import { recoverAction, type ChainVerdict, type KnownHead, type VerifyOptions } from '../audit/verify.js';
import { verifySource } from '../audit/verify-source.js';
import type { AuditRecord } from '../domain/audit-record.js';
import { decodeCommit, type Commit, type Oid } from '../git/objects/objects.js';
import { decodeHistory } from '../history/read-history.js';
import { readAnyObject, type ReadOnlyWorkspace } from './open-read-only.js';
import { readWithPending } from './read-with-pending.js';
import { findAuditHead, findRestart, findTime, findVersion } from '../history/trailers.js';

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
 * @param restartedFrom which restart of the chain is expected; any other is a fault
 */
export async function verifyAuditChain(
  workspace: ReadOnlyWorkspace,
  known: readonly KnownHead[] = [],
  restartedFrom?: VerifyOptions['restartedFrom'],
): Promise<ChainVerdict> {
  const { name, archives, publicKey } = workspace;
  const source = { workspace: name, tables: workspace.sidecar.reader, archives };
  const witness = (await isOlderThanChain(workspace, source)) ? undefined : await readWitness(workspace);
  return verifySource(source, witness === undefined ? known : [witness, ...known], { publicKey, restartedFrom });
}

/**
 * The restart of the chain that the repository carries in a commit of its own: the newest one.
 * @returns the commit from which it was restarted; undefined where it was not, or where no commit carries that
 */
export async function findCarriedRestart(workspace: ReadOnlyWorkspace): Promise<Oid | undefined> {
  const { name, sidecar, archives } = workspace;
  if ((await findRecovery({ workspace: name, tables: sidecar.reader, archives })) === undefined) return undefined;
  const head = workspace.sidecar.reader.meta.get('head');
  if (head === undefined) return undefined;
  let found: Oid | undefined;
  for await (const commits of decodeHistory(readWithPending(workspace), head)) {
    for (const { commit } of commits) found = findRestart(commit.message) ?? found;
  }
  return found;
}

/**
 * Whether the newest commit bears witness of another chain, since the workspace was made from a clone and this one begun
 * anew then: it is the commit that the workspace was made from, or, after an erase took that, one from before. Told by
 * the order of the commits: their times are those of a clock that may have been set.
 */
async function isOlderThanChain(workspace: ReadOnlyWorkspace, source: ChainSource): Promise<boolean> {
  const { repository, repositoryHead } = workspace;
  const recovery = repositoryHead === null ? undefined : await findRecovery(source);
  if (recovery === undefined || repositoryHead === null) return false;
  for await (const oid of repository.history(repositoryHead)) {
    if (oid === recovery.version) return oid === repositoryHead;
  }
  // It was made anew by an erase, and then keeps its id, or it is no more.
  const heads = new Map<number, string>();
  let newest: number | undefined;
  for (let at: Oid | null = repositoryHead; at !== null;) {
    const { message, parents }: Commit = decodeCommit((await readAnyObject(workspace, at)).bytes);
    if (findVersion(message) === recovery.version) return at === repositoryHead;
    if (at === repositoryHead) newest = findTime(message);
    const head = findAuditHead(message);
    if (head !== undefined) heads.set(head.seq, head.hash);
    at = parents[0] ?? null;
  }
  if (await hasSeen(source, heads)) return false;
  // Nothing but the clock is left to ask: no commit has seen any of this chain.
  return (newest ?? Number.POSITIVE_INFINITY) < Date.parse(recovery.at);
}

/** Whether the chain was at one of these places: then who says so is younger than its beginning. */
async function hasSeen(source: ChainSource, heads: ReadonlyMap<number, string>): Promise<boolean> {
  try {
    for await (const line of exportChain(source, false)) {
      if ('record' in line && heads.get(line.record.seq) === line.record.hash) return true;
    }
  } catch (error) {
    if (!(error instanceof ArchiveUnreadable)) throw error;
  }
  return false;
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
