import type { Reach } from '../access/reach.js';
import type { Caller } from '../domain/caller.js';
import { formatTime } from '../domain/clock.js';
import { segmentsOf, type Location } from '../domain/location.js';
import type { Principal } from '../domain/principal.js';
import type { EndedSignIns } from '../domain/signed-in.js';
import { encodeCommit, makePackable, type Oid } from '../git/objects/objects.js';
import { editTreeInSteps, type TreeEdit } from '../git/objects/tree-edit.js';
import { runAtOnce, type Steps } from '../scheduling/in-steps.js';
import { packTree, Tree } from '../git/objects/tree.js';
import { MissingTrees, type WriteTransaction } from '../journal/write-transaction.js';
import type { SearchKeeper } from '../indexing/search-keeper.js';
import { View } from '../view/view.js';

/** One caller's hold on the pen: lasts for a turn. */
export interface WriteContext {
  readonly transaction: WriteTransaction;
  readonly caller: Caller;
  readonly author: Principal;
  readonly reach: Reach;
  /** What the caller can see in the state that this turn started from. */
  readonly view: View;
  /** The workspace's name, for the author's address. */
  readonly workspace: string;
  /** What follows the commits to find text in them. */
  readonly search: Pick<SearchKeeper, 'follow' | 'catchUp' | 'distrust'>;
  /** What finishes the erases that are accepted. */
  readonly eraser: { wake(): void };
  /** Whether a principal has chosen a password, as the service's own file says at this moment. */
  hasPassword(this: void, principalId: string): boolean;
  /** How much a principal is signed in by, as the service's own file says at this moment. */
  countSignIns(this: void, principalId: string): EndedSignIns;
}

/**
 * Takes the pen for one turn. The door has decided before that the caller may write where it is going to.
 * @param author the principal as whom the commit is signed
 * @param reach what the caller reaches in the state that the turn began with
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
  return { transaction, caller, author, reach, view, workspace: name, ...tools };
}

/** Where the commit that was just written stands in the order of all that happens. */
export function momentOf({ transaction }: WriteContext): number {
  return transaction.state.commits;
}

/** A change of paths. An oid puts a file (or, with mode 40000, a folder) there, null takes away what is there. */
export interface PathEdit {
  readonly location: Location;
  readonly entry: { readonly mode: '100644' | '40000'; readonly oid: Oid } | null;
}

export interface CommitText {
  /** The operation's name, e.g. `create`. */
  readonly operation: string;
  /** One line for people who read the history with git. */
  readonly subject: string;
  /** The writer's own words, already normalized. */
  readonly message: string | null;
  /**
   * More trailers, in order. Values hold no line breaks: locations and names cannot. With them the history says all
   * that the rows of documents, versions and moves say, so that those can be made again from it (rebuild.ts).
   */
  readonly trailers?: readonly (readonly [name: string, value: string])[];
}

/**
 * Makes the next commit on main: trees, commit object and head, all inside the turn's transaction.
 * The last paragraph of the message is always ours, so nothing a writer puts into theirs can pass for a trailer.
 * `Audit-Head` names the chain's end before this write: a clone is evidence of the chain, and being salted it keeps
 * the commit's SHA from confirming anybody's guess about its content.
 */
export function writeCommit(context: WriteContext, edits: readonly PathEdit[], text: CommitText): Oid {
  return runAtOnce(writeLongCommit(context, edits, text));
}

/** The same for a change of many paths, in steps. */
export function* writeLongCommit(context: WriteContext, edits: readonly PathEdit[], text: CommitText): Steps<Oid> {
  const { transaction, caller, author } = context;
  const treeEdits: TreeEdit[] = edits.map((edit) => ({ path: segmentsOf(edit.location), entry: edit.entry }));
  if (treeEdits.length > fewEdits) yield* requireTrees(transaction, treeEdits);
  const before: Oid[] = [];
  const edited = yield* editTreeInSteps(transaction.state.tree, treeEdits, (oid) => {
    before.push(oid);
    return transaction.loadTree(oid);
  });
  for (const tree of edited.created) {
    transaction.addObject(packTree(tree));
    transaction.rememberTree(tree);
    yield;
  }
  if (edited.root !== transaction.state.tree) transaction.forgetTrees(before);
  if (edited.root === Tree.empty.oid) transaction.addObject(makePackable('tree', Tree.empty.bytes));
  const { seq, hash } = transaction.state.chain;
  const trailers: (readonly [string, string])[] = [
    ['Operation', text.operation],
    ...(text.trailers ?? []),
    ['Principal', author.id],
    ...(author.kind === 'person' ? [] : [['Principal-Kind', author.kind] as const]),
    ['Request', caller.requestId],
    ['Time', formatTime(transaction.now)],
    ['Audit-Head', `${seq} ${hash}`],
  ];
  const paragraphs = [
    text.subject,
    ...(text.message === null ? [] : [text.message]),
    trailers.map(([name, value]) => `${name}: ${value}`).join('\n'),
  ];
  const signature = {
    name: author.displayName,
    email: `${author.id}@${context.workspace}`,
    seconds: Math.floor(transaction.now / 1000),
  };
  const bytes = encodeCommit({
    tree: edited.root,
    parents: transaction.state.head === null ? [] : [transaction.state.head],
    author: signature,
    committer: signature,
    message: `${paragraphs.join('\n\n')}\n`,
  });
  const commit = makePackable('commit', bytes, bytes.length < longCommit ? fastestLevel : asItStands);
  transaction.addObject(commit);
  const commits = transaction.state.commits + 1;
  transaction.state = { ...transaction.state, head: commit.oid, tree: edited.root, commits };
  return commit.oid;
}

/** Edits up to this number ask for their trees one by one as they come to them. */
const fewEdits = 2;

/**
 * Walks down all paths at once and asks for everything that is missing on a level together: many edits in many folders
 * that nobody has touched for long then take as many attempts as the deepest of them has levels.
 * @throws MissingTrees
 */
function* requireTrees(transaction: WriteTransaction, edits: readonly TreeEdit[]): Steps<void> {
  const missing = new Set<Oid>();
  for (const { path } of edits) {
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
/** One that names thousands of documents is a megabyte: everybody would wait for its compression; joining packs does it. */
const longCommit = 64 * 1024;
const asItStands = 0;
