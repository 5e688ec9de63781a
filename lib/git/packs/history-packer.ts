import { encodeDelta, maxStored } from '../objects/delta.js';
import { makePackable, type Oid, type PackableObject } from '../objects/objects.js';
import { PackBuilder } from './pack-builder.js';
import type { PackLayout } from './pack-layout.js';
import { packTree, type Tree } from '../objects/tree.js';

/** Takes a history's objects, as its commits come one after the other, and puts them into packs. */
export interface HistoryPacker {
  /** Adds trees of one commit, in the same order of places each time. A known tree is passed over. */
  addTrees(trees: readonly Tree[]): void;
  /** Adds a commit that was not added before. */
  addCommit(commit: PackableObject): void;
  /** Whether there is enough for a pack. */
  readonly isFull: boolean;
  /** Writes everything added so far, durably. Nothing may be added meanwhile. */
  flush(): Promise<void>;
}

/** Bytes of one pack. */
const packBytes = 32 * 1024 * 1024;
/** The longest chain of deltas: the most that git allows. */
const maxDeltaChain = 50;

/** Packs that store a tree as a delta against the last tree of its place. */
export class DeltaPacker implements HistoryPacker {
  readonly #write: (layout: PackLayout) => Promise<void>;
  /** The trees of the pack under way, and how many deltas each of them stands on. */
  readonly #depths = new Map<Oid, number>();
  readonly #delta = new Uint8Array(maxStored);
  #pack = new PackBuilder();
  #before: readonly Tree[] = [];

  constructor(write: (layout: PackLayout) => Promise<void>) {
    this.#write = write;
  }

  get isFull(): boolean {
    return this.#pack.length >= packBytes;
  }

  addTrees(trees: readonly Tree[]): void {
    for (const [index, tree] of trees.entries()) {
      if (!this.#depths.has(tree.oid)) this.#addTree(tree, this.#before[index]);
    }
    if (trees.length > 0) this.#before = trees;
  }

  addCommit(commit: PackableObject): void {
    this.#pack.add(commit);
  }

  async flush(): Promise<void> {
    if (this.#pack.isEmpty) return;
    const layout = this.#pack.finish();
    this.#pack = new PackBuilder();
    this.#depths.clear();
    await this.#write(layout);
  }

  #addTree(tree: Tree, base: Tree | undefined): void {
    const depth = base === undefined ? undefined : this.#depths.get(base.oid);
    if (base !== undefined && depth !== undefined && depth < maxDeltaChain) {
      const length = encodeDelta(base.bytes, tree.bytes, this.#delta);
      if (length !== undefined) {
        this.#depths.set(tree.oid, depth + 1);
        this.#pack.addDelta(tree.oid, base.oid, this.#delta.subarray(0, length));
        return;
      }
    }
    this.#depths.set(tree.oid, 0);
    // Half of a tree is random bytes, and few trees are stored whole.
    this.#pack.add(makePackable('tree', tree.bytes, 0, tree.oid));
  }
}

/** Packs of whole objects, for machines without git: no program there takes deltas apart quickly. */
export class PlainPacker implements HistoryPacker {
  readonly #addPack: (objects: readonly PackableObject[]) => Promise<void>;
  readonly #trees = new Set<Oid>();
  #objects: PackableObject[] = [];
  #bytes = 0;

  constructor(addPack: (objects: readonly PackableObject[]) => Promise<void>) {
    this.#addPack = addPack;
  }

  get isFull(): boolean {
    return this.#bytes >= packBytes;
  }

  addTrees(trees: readonly Tree[]): void {
    for (const tree of trees) {
      if (this.#trees.has(tree.oid)) continue;
      this.#trees.add(tree.oid);
      this.#add(packTree(tree));
    }
  }

  addCommit(commit: PackableObject): void {
    this.#add(commit);
  }

  async flush(): Promise<void> {
    const objects = this.#objects;
    this.#objects = [];
    this.#bytes = 0;
    this.#trees.clear();
    await this.#addPack(objects);
  }

  #add(object: PackableObject): void {
    this.#objects.push(object);
    this.#bytes += object.deflated.length;
  }
}
