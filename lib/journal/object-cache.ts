import type { Oid } from '../git/objects/objects.js';
import type { Tree } from '../git/objects/tree.js';

/** Remembers the values that were used last, up to a number of bytes. */
export class ByteBoundedCache<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #sizeOf: (value: Value) => number;
  readonly #most: number;
  #bytes = 0;

  /** @param most bytes; a value of more than an eighth of it is never kept */
  constructor(most: number, sizeOf: (value: Value) => number) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    const size = this.#sizeOf(value);
    if (size > this.#most / 8) return;
    const before = this.#entries.get(key);
    if (before !== undefined) {
      this.#bytes -= this.#sizeOf(before);
      this.#entries.delete(key);
    }
    this.#entries.set(key, value);
    this.#bytes += size;
    for (const [oldest, dropped] of this.#entries) {
      if (this.#bytes <= this.#most) break;
      this.#entries.delete(oldest);
      this.#bytes -= this.#sizeOf(dropped);
    }
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= this.#sizeOf(value);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}

export type BlobCache = ByteBoundedCache<Buffer>;

/** The trees of the paths that are being written, kept serialized. */
export class TreeCache {
  readonly #trees: ByteBoundedCache<Tree>;
  /** Trees that operations are waiting for: kept whatever their size until the last of them has run. */
  readonly #held = new Map<Oid, { readonly tree: Tree; holders: number }>();

  constructor(most: number) {
    this.#trees = new ByteBoundedCache<Tree>(most, (tree) => tree.bytes.length + 200);
  }

  get(oid: Oid): Tree | undefined {
    return this.#trees.get(oid) ?? this.#held.get(oid)?.tree;
  }

  set(tree: Tree): void {
    this.#trees.set(tree.oid, tree);
  }

  /** Forgets a tree, unless somebody waits for it. */
  forget(oid: Oid): void {
    this.#trees.delete(oid);
  }

  /** Forgets every tree that nobody waits for. */
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
