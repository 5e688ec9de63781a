import { existsSync } from 'node:fs';
import { decodeCommit, hashObject, type GitObject, type Oid } from '../git/objects/objects.js';
import { ObjectNotFound, RepositoryUnreadable, type Repository } from '../git/repositories/repository.js';
import { Tree } from '../git/objects/tree.js';
import type { Journal } from './journal.js';
import { readPending } from './pending-object.js';

/** Sidecar and repository do not belong together, or lack promised contents: nothing of the workspace may be served. */
export class WorkspaceUnsound extends Error {
  override readonly name = 'WorkspaceUnsound';
}

/** @throws WorkspaceUnsound with the remedy when the workspace's file of rows is gone */
export function requireSidecar(name: string, path: string): void {
  if (existsSync(path)) return;
  throw new WorkspaceUnsound(
    `The workspace ${name} has no ${path}. Bring it back from a backup with \`cartulary restore\`, or content and ` +
      `history alone from content.git with \`cartulary restore --clone\`, into another data folder.`,
  );
}

/** A workspace while it is opened. */
interface Parts {
  readonly name: string;
  readonly journal: Journal;
  readonly repository: Repository;
  /** Receives each fault that was found and could be corrected. */
  readonly onFault: (what: string, cause: unknown) => void;
}

/** In the sidecar's `meta`: the commit that the last checkpoint moved main to. */
export const checkpointedHead = 'checkpointed_head';

/**
 * Compares the repository with the sidecar before anything is moved or served. The sidecar is the truth: its newest
 * commit and that commit's tree must be there, pending or in the repository.
 *
 * Main may lag behind. It then stands where a checkpoint left it. That is the commit noted after the last checkpoint.
 * If the process ended before the note, it is a commit that is still pending. A main may also be gone, name nothing, or
 * stand further back in our own history. It then points to no other history, and the checkpoint sets it again. Anywhere
 * else it was moved from outside, or one of the two comes from another time (an older backup). Only people can decide
 * between them, so this is refused.
 *
 * @throws WorkspaceUnsound with the remedy; RepositoryUnreadable; Refusal UNAVAILABLE
 */
export async function checkSoundness(options: Parts): Promise<void> {
  const { name, journal, repository, onFault } = options;
  const { head, tree } = journal.state;
  const main = await readMain(repository, (cause) => onFault(`Main of ${name} was unreadable and is set again`, cause));
  if (head === null) {
    if (typeof main === 'string') throw foreign(name, main, null);
    return;
  }
  await requireHead(options, head, tree);
  const { meta, objects } = journal.reader;
  const noted = meta.get(checkpointedHead);
  if (main === null) {
    if (noted !== undefined) onFault(`Main of ${name} was gone and is set again`, undefined);
  } else if (main !== undefined && main !== head && main !== noted && objects.find(main)?.type !== 'commit') {
    if (!(await isInHistory(options, main, head))) throw foreign(name, main, head);
    onFault(`Main of ${name} stood further back, at ${main}, and is set again`, undefined);
  }
  if (main === head && noted !== head)
    await journal.write({ run: (transaction) => noteCheckpoint(transaction.tables, head) });
}

/** Notes in a transaction that main has been moved there. */
export function noteCheckpoint(tables: Journal['reader'], head: Oid): void {
  tables.meta.set(checkpointedHead, head);
}

/** The present main; undefined where the file names no commit. */
async function readMain(
  repository: Repository,
  onUnreadable: (cause: unknown) => void,
): Promise<Oid | null | undefined> {
  try {
    return await repository.head();
  } catch (error) {
    if (!(error instanceof RepositoryUnreadable)) throw error;
    onUnreadable(error);
    return undefined;
  }
}

/** @throws WorkspaceUnsound when the newest commit or its tree is missing or contradicts the rows */
async function requireHead({ name, journal, repository }: Parts, head: Oid, tree: Oid | null): Promise<void> {
  try {
    const commit = decodeCommit((await readObject(journal, repository, head)).bytes);
    if (commit.tree !== tree) {
      throw new WorkspaceUnsound(`The commit ${head} of ${name} has the tree ${commit.tree}, its rows say ${tree}.`);
    }
    if (tree !== Tree.empty.oid) Tree.parse((await readObject(journal, repository, tree)).bytes);
  } catch (error) {
    if (!(error instanceof ObjectNotFound)) throw error;
    throw new WorkspaceUnsound(
      `The object ${error.oid} that the workspace ${name} stands on is neither in its repository nor in its sidecar. ` +
        `Files are missing from content.git: bring them back from a backup, or restore the workspace.`,
      { cause: error },
    );
  }
}

/** Maximum of commits walked. */
const maxWalk = 100_000;

/** Whether the commit is an ancestor of `head`. */
async function isInHistory({ journal, repository }: Parts, commit: Oid, head: Oid): Promise<boolean> {
  let at: Oid | undefined = head;
  for (let walked = 0; at !== undefined && walked < maxWalk; walked++) {
    if (at === commit) return true;
    at = decodeCommit((await readObject(journal, repository, at)).bytes).parents[0];
  }
  return false;
}

async function readObject(journal: Journal, repository: Repository, oid: Oid): Promise<GitObject> {
  const pending = readPending(journal.reader.objects, oid);
  if (pending === undefined) return repository.read(oid);
  if (hashObject(pending.type, pending.bytes) !== oid)
    throw new WorkspaceUnsound(`The pending object ${oid} is damaged.`);
  return pending;
}

function foreign(name: string, main: Oid, head: Oid | null): WorkspaceUnsound {
  return new WorkspaceUnsound(
    `Main in content.git of the workspace ${name} is at ${main}, which is not from this service: its sidecar stands ` +
      `at ${head ?? 'nothing'}. If somebody pushed there, keep what they did with "git branch pushed ${main}" and put main back ` +
      `with "git update-ref ${head === null ? '-d refs/heads/main' : `refs/heads/main ${head}`}". If the sidecar ` +
      `comes from an older backup, restore the one that belongs to this repository.`,
  );
}
