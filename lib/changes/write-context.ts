import { readPolicy } from '../access/read-policy.js';
import type { Reach } from '../view/reach.js';
import type { Caller } from '../domain/caller.js';
import { segmentsOf, type Location } from '../domain/location.js';
import type { OriginalAuthor } from '../domain/original-author.js';
import type { Policy } from '../domain/policy.js';
import type { Principal } from '../domain/principal.js';
import type { EndedSignIns } from '../domain/signed-in.js';
import { encodeCommit, makePackable, type Commit, type Oid } from '../git/objects/objects.js';
import { editTreeInSteps, type TreeEdit } from '../git/objects/tree-edit.js';
import type { Steps } from '../scheduling/in-steps.js';
import { encodeStamp } from '../history/event-codec.js';
import { composeCommitMessage, type Trailer } from '../history/trailers.js';
import { Tree } from '../git/objects/tree.js';
import { MissingTrees, type WriteTransaction } from '../journal/write-transaction.js';
import type { SearchKeeper } from '../indexing/search-keeper.js';
import { View } from '../view/view.js';

/** The means of one caller's write, valid for one transaction. */
export interface WriteContext {
  readonly transaction: WriteTransaction;
  readonly caller: Caller;
  readonly author: Principal;
  readonly reach: Reach;
  /** The caller's view of the state at the start of the transaction. */
  readonly view: View;
  /** The workspace's policy at the start of the transaction. */
  readonly policy: Policy;
  /** The workspace's name, for the author's address. */
  readonly workspace: string;
  /** The part of the search keeper that follows the commits. */
  readonly search: Pick<SearchKeeper, 'follow' | 'catchUp' | 'distrust'>;
  /** Finishes the accepted erases. */
  readonly eraser: { wake(): void };
  /** Whether a principal has chosen a password, by the service's own file at this moment. */
  hasPassword(this: void, principalId: string): boolean;
  /** The number of a principal's sign-ins, by the service's own file at this moment. */
  countSignIns(this: void, principalId: string): EndedSignIns;
}

/**
 * Opens the write context of one transaction. `perform` has already decided that the caller may write at the target.
 * @param author the principal as whom the commit is signed
 * @param reach the caller's reach in the state at the start of the transaction
 */
export function openWriteContext(
  transaction: WriteTransaction,
  caller: Caller,
  author: Principal,
  reach: Reach,
  {
    name,
    ...tools
  }: Pick<WriteContext, 'search' | 'eraser' | 'hasPassword' | 'countSignIns'> & { readonly name: string },
): WriteContext {
  const view = new View(transaction.tables, reach, transaction.now);
  const policy = readPolicy(transaction.tables);
  return { transaction, caller, author, reach, view, policy, workspace: name, ...tools };
}

/** A change of paths. An oid puts a file (or, with mode 40000, a folder) there. Null removes the entry. */
export interface PathEdit {
  readonly location: Location;
  readonly entry: { readonly mode: '100644' | '40000'; readonly oid: Oid } | null;
}

export interface CommitText {
  /** One line for people who read the history with git. */
  readonly subject: string;
  /** The writer's own message, already normalized. */
  readonly message: string | null;
  /** The event's trailers in the commit. */
  readonly trailers: readonly Trailer[];
  readonly originalAuthor: OriginalAuthor | null;
}

/** Git's author and committer of a commit: the principal, and before it the author of what is imported. */
export function sign(
  { transaction, author, workspace }: WriteContext,
  originalAuthor: OriginalAuthor | null,
): Pick<Commit, 'author' | 'committer'> {
  const committer = {
    name: author.displayName,
    email: `${author.id}@${workspace}`,
    seconds: Math.floor(transaction.now / 1000),
  };
  if (originalAuthor === null) return { author: committer, committer };
  return {
    author: { name: originalAuthor.name, email: originalAuthor.email, seconds: (originalAuthor.at ?? 0) / 1000 },
    committer,
  };
}

/** Makes the next commit on main: trees, commit object and head. It runs inside the transaction, in steps. */
export function* writeCommit(context: WriteContext, edits: readonly PathEdit[], text: CommitText): Steps<Oid> {
  const { transaction, caller, author } = context;
  const root = yield* writeTrees(transaction, edits);
  yield;
  const trailers = encodeStamp({
    author,
    requestId: caller.requestId,
    at: transaction.now,
    chain: transaction.state.chain,
  });
  const bytes = encodeCommit({
    tree: root,
    parents: transaction.state.head === null ? [] : [transaction.state.head],
    ...sign(context, text.originalAuthor),
    message: composeCommitMessage({ ...text, trailers: [...text.trailers, ...trailers] }),
  });
  yield;
  const commit = makePackable('commit', bytes, bytes.length < longCommit ? fastestLevel : asItStands);
  transaction.addObject(commit);
  const commits = transaction.state.commits + 1;
  transaction.state = { ...transaction.state, head: commit.oid, tree: root, commits };
  return commit.oid;
}

/** @returns the root of the tree with the edits */
function* writeTrees(transaction: WriteTransaction, edits: readonly PathEdit[]): Steps<Oid> {
  const treeEdits: TreeEdit[] = [];
  for (const { location, entry } of edits) {
    treeEdits.push({ path: segmentsOf(location), entry });
    yield;
  }
  if (treeEdits.length > fewEdits) {
    yield* requireTrees(
      transaction,
      treeEdits.map(({ path }) => path),
    );
  }
  const before: Oid[] = [];
  const edited = yield* editTreeInSteps(transaction.state.tree, treeEdits, (oid) => {
    before.push(oid);
    return transaction.loadTree(oid);
  });
  for (const tree of edited.created) {
    transaction.addTree(tree);
    yield;
  }
  if (edited.root !== transaction.state.tree) transaction.forgetTrees(before);
  if (edited.root === Tree.empty.oid) transaction.addObject(makePackable('tree', Tree.empty.bytes));
  return edited.root;
}

/** Up to this number of edits, trees are fetched one by one. */
const fewEdits = 2;

/**
 * Walks down all paths at once and requests all missing trees of a level together. Many edits in many folders not used
 * for long then take one attempt for each level of the deepest folder.
 * @throws MissingTrees
 */
export function* requireTrees(transaction: WriteTransaction, paths: readonly (readonly string[])[]): Steps<void> {
  const missing = new Set<Oid>();
  for (const path of paths) {
    let oid = transaction.state.tree;
    for (const segment of path) {
      if (oid === null || missing.has(oid)) break;
      const tree = transaction.findTree(oid);
      if (tree === undefined) missing.add(oid);
      const entry = tree?.entry(segment);
      oid = entry?.mode === '40000' ? entry.oid : null;
    }
    yield;
  }
  if (missing.size > 0) throw new MissingTrees([...missing]);
}

/** Commits are small and many: a higher level costs time and saves almost nothing. */
const fastestLevel = 1;
/**
 * A commit with thousands of documents is a megabyte, and all writers would wait for its compression. Joining packs
 * compresses it later.
 */
const longCommit = 64 * 1024;
const asItStands = 0;
