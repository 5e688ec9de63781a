import { decodeCommit, encodeCommit, makePackable, type Oid, type PackableObject } from '../git/objects/objects.js';
import { encodeEvent, encodeStamp, subjectOf } from '../history/event-codec.js';
import { composeCommitMessage } from '../history/trailers.js';
import { packTree, Tree } from '../git/objects/tree.js';
import { readPending } from '../journal/pending-object.js';
import { encodeRewritten, type RewrittenCommit } from '../sidecar/tables/rewritten-commit-table.js';
import type { ErasePlan } from './plan-erase.js';
import { noteCheckpoint } from '../journal/recover.js';
import { rewriteOne, type RewriteState } from './redact-commit.js';
import type { WriteTransaction } from '../journal/write-transaction.js';

/** A commit of the tail, neither in memory nor among pending objects. It has to be read first. */
export interface MissingCommit {
  readonly missing: Oid;
}

/** The history from now on. */
export interface MovedHistory {
  readonly head: Oid;
  readonly tree: Oid;
}

interface Move {
  readonly plan: ErasePlan;
  /** The state of the rewrite after the commit `after`. */
  readonly state: RewriteState;
  readonly after: Oid;
  /** Commits already read, by oid. */
  readonly known: ReadonlyMap<Oid, Buffer>;
  /** The repository's main. */
  readonly main: Oid | null;
  readonly workspace: string;
}

/**
 * In a transaction: rewrites the few commits written since, and puts the rewritten history in the place of the old one.
 * New objects go into the repository as usual.
 * @throws MissingObject for a tree that is not in memory: the journal fetches it and runs the transaction again
 */
export function moveHistory(transaction: WriteTransaction, move: Move): MovedHistory | MissingCommit {
  const { plan, after, known, main, workspace } = move;
  const { tables } = transaction;
  const tail: { oid: Oid; bytes: Buffer }[] = [];
  for (let at = transaction.state.head; at !== null && at !== after;) {
    const bytes = known.get(at) ?? readPending(tables.objects, at)?.bytes;
    if (bytes === undefined) return { missing: at };
    tail.push({ oid: at, bytes });
    at = decodeCommit(bytes).parents[0] ?? null;
  }
  let { state } = move;
  const commits: RewrittenCommit[] = [];
  const objects: PackableObject[] = [];
  for (const commit of tail.toReversed()) {
    const step = rewriteOne(plan.documents, state, commit, transaction.loadTree);
    state = step.state;
    commits.push(step.commit);
    objects.push(...step.trees.map(packTree));
    if (step.object !== undefined) objects.push(step.object);
  }
  for (const object of objects) transaction.addObject(object);
  const head = state.parent ?? writeRoot(transaction, plan, workspace);
  tables.rewrittenCommits.noteRewritten(encodeRewritten(commits));
  for (const [index, { number }] of plan.erasures.entries()) {
    tables.erasures.setPhase(number, 'moved');
    // From now on, a rebuild can make their rows from the new history.
    tables.erasures.setLocations(number, plan.places[index] ?? []);
  }
  if (main !== null) noteCheckpoint(tables, main);
  transaction.state = { ...transaction.state, head, tree: state.treeAfter };
  return { head, tree: state.treeAfter };
}

/** An empty history begins with a commit that says so, because main must name a commit. */
function writeRoot(transaction: WriteTransaction, { erasures }: ErasePlan, workspace: string): Oid {
  const id = erasures[0]?.requestedBy ?? '';
  const author = transaction.tables.principals.find(id);
  const signature = {
    name: author?.displayName ?? id,
    email: `${id}@${workspace}`,
    seconds: Math.floor(transaction.now / 1000),
  };
  const event = { type: 'erase' } as const;
  const stamp = {
    author: { id, kind: author?.kind ?? ('person' as const) },
    requestId: null,
    at: transaction.now,
    chain: transaction.state.chain,
  };
  const message = composeCommitMessage({
    subject: subjectOf(event, 0),
    message: null,
    trailers: [...encodeEvent(event), ...encodeStamp(stamp)],
  });
  transaction.addObject(makePackable('tree', Tree.empty.bytes));
  const commit = makePackable(
    'commit',
    encodeCommit({ tree: Tree.empty.oid, parents: [], author: signature, committer: signature, message }),
  );
  transaction.addObject(commit);
  return commit.oid;
}
