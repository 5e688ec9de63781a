import { createPublicKey, type KeyObject } from 'node:crypto';
import { exportChain, type ChainSource } from '../audit/export.js';
import { ArchiveUnreadable } from '../audit/read-archive.js';
import { recoverAction, type ChainVerdict, type KnownHead, type VerifyOptions } from '../audit/verify-chain.js';
import { verifySource } from '../audit/verify-source.js';
import type { AuditRecord } from '../domain/audit-record.js';
import { decodeCommit, type Commit, type Oid } from '../git/objects/objects.js';
import { decodeHistory } from '../history/read-history.js';
import type { ReadableRepository } from '../git/repositories/open-read-only.js';
import { Rests } from '../scheduling/rests.js';
import type { Tables } from '../sidecar/tables.js';
import { readAnyObject, type ObjectSource, type ReadOnlyWorkspace } from './open-data-folder.js';
import { readWithPending } from './read-with-pending.js';
import { findAuditHead, findRestart, findTime, findVersion } from '../history/trailers.js';

/** Where an audit chain and its witnesses lie. */
export interface WitnessedChain extends ObjectSource {
  readonly name: string;
  readonly archives: string | null;
  readonly repository: Pick<ReadableRepository, 'read' | 'history'>;
  /** The repository's main. */
  readonly repositoryHead: Oid | null;
  readonly publicKey: KeyObject | undefined;
}

/** A workspace that is being served. */
export interface ServedChain {
  readonly name: string;
  readonly archives: string | null;
  readonly journal: { readonly reader: Tables };
  readonly repository: Pick<ReadableRepository, 'read' | 'history' | 'head'>;
  readonly signer: { readonly publicKey: string };
}

/**
 * The head of the audit chain in the repository's newest commit. Each record's hash covers all before it, so this one
 * witness outside the sidecar confirms everything up to it.
 */
export async function readWitness(workspace: WitnessedChain): Promise<KnownHead | undefined> {
  const { repositoryHead } = workspace;
  if (repositoryHead === null) return undefined;
  const { bytes } = await readAnyObject(workspace, repositoryHead);
  const head = findAuditHead(decodeCommit(bytes).message);
  return head === undefined ? undefined : { ...head, witness: `commit ${repositoryHead}` };
}

/**
 * Checks the whole audit chain with its signatures, and against the head in the repository.
 * @param known further heads seen elsewhere
 * @param restartedFrom the expected restart of the chain; any other is a fault
 * @param onProgress gets the number of records checked so far; what it throws ends the check
 */
export async function verifyAuditChain(
  workspace: WitnessedChain,
  known: readonly KnownHead[] = [],
  restartedFrom?: VerifyOptions['restartedFrom'],
  onProgress?: (checked: number) => void,
): Promise<ChainVerdict> {
  const { name, archives, publicKey } = workspace;
  const source = { workspace: name, tables: workspace.sidecar.reader, archives };
  const witness = (await isOlderThanChain(workspace, source)) ? undefined : await readWitness(workspace);
  return verifySource(
    source,
    witness === undefined ? known : [witness, ...known],
    { publicKey, restartedFrom },
    onProgress,
  );
}

/** The same for a workspace that is being served. Others get their turn in between, and may add records. */
export async function verifyServedChain(
  { name, archives, journal, repository, signer }: ServedChain,
  onProgress: (checked: number) => void,
): Promise<ChainVerdict> {
  const repositoryHead = await repository.head();
  const publicKey = createPublicKey(signer.publicKey);
  const sidecar = { reader: journal.reader };
  return verifyAuditChain(
    { name, archives, repository, repositoryHead, publicKey, sidecar },
    [],
    undefined,
    onProgress,
  );
}

/**
 * The newest restart of the chain recorded in a commit of its own.
 * @returns the commit from which the chain was restarted; undefined without a restart, or without such a commit
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
 * Whether the newest commit names another chain, because the workspace was made from a clone and this chain began then.
 * That commit is the clone's newest, or an older one if an erase removed it. The order of the commits decides: their
 * times come from a clock that may have been set.
 */
async function isOlderThanChain(workspace: WitnessedChain, source: ChainSource): Promise<boolean> {
  const { repository, repositoryHead } = workspace;
  const recovery = repositoryHead === null ? undefined : await findRecovery(source);
  if (recovery === undefined || repositoryHead === null) return false;
  for await (const oid of repository.history(repositoryHead)) {
    if (oid === recovery.version) return oid === repositoryHead;
  }
  // An erase rewrote it, and then it keeps its id, or removed it.
  const heads = new Map<number, string>();
  let newest: number | undefined;
  const rests = new Rests();
  for (let at: Oid | null = repositoryHead; at !== null;) {
    const { message, parents }: Commit = decodeCommit((await readAnyObject(workspace, at)).bytes);
    if (findVersion(message) === recovery.version) return at === repositoryHead;
    if (at === repositoryHead) newest = findTime(message);
    const head = findAuditHead(message);
    if (head !== undefined) heads.set(head.seq, head.hash);
    at = parents[0] ?? null;
    if (rests.isDue) await rests.take();
  }
  if (await hasSeen(source, heads)) return false;
  // Only the clock can decide: no commit names a head of this chain.
  return (newest ?? Number.POSITIVE_INFINITY) < Date.parse(recovery.at);
}

/** Whether the chain had one of these heads. Then the commit with that head is younger than the chain's beginning. */
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

/** The record of a workspace made from a clone, if the chain began with it. */
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
