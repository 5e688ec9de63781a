import { LRUCache } from 'lru-cache';
import type { Oid } from '../git/objects/objects.js';
import type { Tree } from '../git/objects/tree.js';

/** Bytes of an entry besides its object. */
const entryBytes = 200;

/**
 * Remembers the last used objects.
 * @param max bytes; an object of more than an eighth of it is never kept
 */
export function makeObjectCache<Value extends Tree | Buffer>(max: number): LRUCache<Oid, Value> {
  return new LRUCache({
    maxSize: max,
    maxEntrySize: Math.ceil(max / 8),
    sizeCalculation: (object) => (Buffer.isBuffer(object) ? object.length : object.bytes.length) + entryBytes,
  });
}

/** The trees of the paths under change, kept serialized. */
export class TreeCache {
  readonly #trees: LRUCache<Oid, Tree>;
  /** Trees with waiting operations: kept, whatever their size, until the last of them has run. */
  readonly #held = new Map<Oid, { readonly tree: Tree; holders: number }>();

  /** @param max bytes of the remembered trees */
  constructor(max: number) {
    this.#trees = makeObjectCache(max);
  }

  get(oid: Oid): Tree | undefined {
    return this.#trees.get(oid) ?? this.#held.get(oid)?.tree;
  }

  set(tree: Tree): void {
    this.#trees.set(tree.oid, tree);
  }

  /** Forgets a tree, unless an operation waits for it. */
  forget(oid: Oid): void {
    this.#trees.delete(oid);
  }

  /** Forgets every tree without a waiting operation. */
  clear(): void {
    this.#trees.clear();
  }

  /** Keeps the tree until it is released as often as it was held. */
  hold(oid: Oid, tree: Tree): void {
    this.set(tree);
    const held = this.#held.get(oid);
    if (held === undefined) this.#held.set(oid, { tree, holders: 1 });
    else held.holders += 1;
  }

  release(oids: ReadonlySet<Oid>): void {
    for (const oid of oids) {
      const held = this.#held.get(oid);
      if (held === undefined) continue;
      held.holders -= 1;
      if (held.holders <= 0) this.#held.delete(oid);
    }
  }
}
