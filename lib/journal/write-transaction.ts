import type { AuditEvent } from '../domain/audit-record.js';
import type { Randomness } from '../domain/clock.js';
import type { Version } from '../domain/document.js';
import { appendRecord, type ChainHead } from '../audit/chain.js';
import { MissingObject, type Oid, type PackableObject } from '../git/objects/objects.js';
import { packTree, packTreeAsDelta, Tree } from '../git/objects/tree.js';
import type { TreeCache } from './object-cache.js';
import { longestChain, readPending } from './pending-object.js';
import type { Tables } from '../sidecar/tables.js';

/** The state of a workspace. Replaced as a whole, so it can be restored after a refused write. */
export interface WorkspaceState {
  /** Newest commit on main; null before the first write. */
  readonly head: Oid | null;
  /** Tree of the newest commit. */
  readonly tree: Oid | null;
  /** How many commits main has had; goes on counting where an erase takes some away. */
  readonly commits: number;
  readonly chain: ChainHead;
  /** Bytes of all versions ever written, less erased ones. */
  readonly storedBytes: number;
}

/** Thrown by a write that needs several trees outside memory: the journal loads them all and runs it again. */
export class MissingTrees extends Error {
  override readonly name = 'MissingTrees';
  readonly oids: readonly Oid[];

  constructor(oids: readonly Oid[]) {
    super(`${oids.length} trees are not in memory.`);
    this.oids = oids;
  }
}

/**
 * The SQLite transaction of one group, for its writes. Each is synchronous, alone on the writer connection, inside a
 * savepoint. It sees the results of the writes before it. An error undoes this write and no other.
 */
export class WriteTransaction {
  readonly tables: Tables;
  /** Milliseconds since 1970, one reading for the whole transaction. */
  readonly now: number;
  readonly randomness: Randomness;
  state: WorkspaceState;
  /** Bytes of objects added by this group. */
  addedBytes = 0;
  readonly #trees: TreeCache;
  readonly #after: (() => void)[] = [];
  readonly #basesAfter: number | undefined;

  /**
   * @param basesAfter the number after which pending objects can be the bases of deltas; undefined where a checkpoint can
   * begin before this transaction ends
   */
  constructor(
    tables: Tables,
    state: WorkspaceState,
    trees: TreeCache,
    now: number,
    randomness: Randomness,
    basesAfter: number | undefined,
  ) {
    this.tables = tables;
    this.state = state;
    this.#trees = trees;
    this.now = now;
    this.randomness = randomness;
    this.#basesAfter = basesAfter;
  }

  /** Appends to the audit chain. */
  audit(event: AuditEvent): void {
    const chain = appendRecord(this.tables.audit, this.state.chain, event, this.now, this.randomness);
    this.state = { ...this.state, chain };
    if (event.extent !== undefined) this.tables.auditExtents.insert(chain.seq, event.extent);
  }

  /** Makes a git object part of this transaction. */
  addObject(object: PackableObject): void {
    this.tables.objects.insert(object);
    this.addedBytes += object.deflated.length;
  }

  /** Makes a tree part of this transaction: as a delta where the tree that it was made from will be in the same pack. */
  addTree(tree: Tree): void {
    const delta = this.#basesAfter === undefined ? undefined : packTreeAsDelta(tree);
    if (delta !== undefined && this.tables.objects.insertDelta(delta, this.#basesAfter!, longestChain))
      this.addedBytes += delta.deflated.length;
    else this.addObject(packTree(tree));
    this.#trees.set(tree);
  }

  /** @throws MissingObject when it is not in memory: the journal then loads it and runs the write again */
  loadTree = (oid: Oid): Tree => {
    const tree = this.findTree(oid);
    if (tree === undefined) throw new MissingObject(oid);
    return tree;
  };

  /** The tree, if it is in memory. */
  findTree(oid: Oid): Tree | undefined {
    const known = this.#trees.get(oid);
    if (known !== undefined) return known;
    if (oid === Tree.empty.oid) return Tree.empty;
    const pending = readPending(this.tables.objects, oid);
    if (pending === undefined) return undefined;
    const tree = Tree.parse(pending.bytes);
    this.#trees.set(tree);
    return tree;
  }

  /** A version's bytes, if they are not in the repository yet. */
  findContent({ blobOid }: Pick<Version, 'blobOid'>): Buffer | undefined {
    return readPending(this.tables.objects, blobOid)?.bytes;
  }

  /** Forgets replaced trees, once the replacement is durable: nothing is written to them again. */
  forgetTrees(oids: readonly Oid[]): void {
    this.whenDurable(() => {
      for (const oid of oids) this.#trees.forget(oid);
    });
  }

  /** Runs once the group is durable, before the callers get their answers. Must not throw. */
  whenDurable(action: () => void): void {
    this.#after.push(action);
  }

  /** For the journal: the present number of actions, to drop those of an undone write. */
  get pendingActions(): number {
    return this.#after.length;
  }

  dropActionsFrom(count: number): void {
    this.#after.length = count;
  }

  takeActions(): (() => void)[] {
    return this.#after.splice(0);
  }
}
