import { createHash, createHmac, randomBytes } from 'node:crypto';
import { open, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { entryHeader, layOutPack, sealPack } from '../../../lib/git/packs/pack-layout.js';
import { openFloorTables, type FloorDocument, type FloorTables } from './floor-tables.js';

/** Types of entries in a pack (gitformat-pack(5)). */
const types = { commit: 1, tree: 2, blob: 3, delta: 7 } as const;
/** Deltas one behind the other, at most. */
const longestChain = 40;
const mediaType = 'text/markdown; charset=utf-8';
/** Milliseconds between two packs. */
const packEvery = 1000;

/**
 * The least that a store with the product's promises has to do, written by hand: one folder of documents and one key.
 * A write makes the same git objects, rows and audit record as the product's, is durable together with those of the
 * same turn, and reaches a pack within a second. Trees are deltas against the tree before. There is no search index,
 * no validation, no reach, no claims, no feed, no quota and no rate limit.
 */
export class FloorStore {
  readonly #tables: FloorTables;
  readonly #folder: string;
  /** Where a name's 20 bytes stand in the tree. */
  readonly #places = new Map<string, number>();
  #tree: Buffer = Buffer.alloc(0);
  #treeOid: Buffer = Buffer.alloc(20);
  /** Deltas since the last whole tree; a pack begins with a whole one. */
  #chain = longestChain;
  #head = '';
  #moment = 0;
  #records = 0;
  #lastHash = '0'.repeat(64);
  #waiting: { readonly work: () => unknown; readonly done: (result: never) => void }[] = [];

  private constructor(folder: string, secret: string) {
    this.#folder = folder;
    this.#tables = openFloorTables(join(folder, 'floor.sqlite'), secret);
  }

  /**
   * A new store with one key and one folder of documents with these names, all with this text. It packs until the
   * process ends.
   */
  static async create(folder: string, secret: string, names: readonly string[], text: string): Promise<FloorStore> {
    const store = new FloorStore(folder, secret);
    await mkdir(join(folder, 'pack'));
    await store.#durably(() => store.#fill(names, text));
    void store.#packForEver();
    return store;
  }

  /** @returns whether the secret is the one of the key */
  isKnown(secret: string): boolean {
    const row = this.#tables.credential.get('key');
    return row !== undefined && createHash('sha256').update(secret).digest().equals(row.hash);
  }

  /** Reads a document, and records that it was read. */
  read(name: string, requestId: string): Promise<FloorDocument | undefined> {
    return this.#durably(() => {
      const document = this.#tables.document.get(name);
      if (document !== undefined) this.#record('document.read', document, document.version_id, requestId);
      return document;
    });
  }

  /** Writes a version if the ETag is that of the newest. */
  update(name: string, etag: string, text: string, requestId: string): Promise<FloorDocument | undefined> {
    const bytes = Buffer.from(text);
    const blob = hashObject('blob', bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const deflated = deflateSync(bytes, { level: 1 });
    return this.#durably(() => {
      const document = this.#tables.document.get(name);
      if (document === undefined || `"${document.version_id}"` !== etag) return undefined;
      const now = Date.now();
      this.#tables.addObject.run(blob.toString('hex'), types.blob, null, bytes.length, deflated);
      this.#replaceInTree(name, blob);
      const commit = this.#commit(document, now, requestId);
      const moment = (this.#moment += 1);
      const content = [commit, commit, blob.toString('hex'), sha256, bytes.length, 'text', mediaType] as const;
      const change = [`docs/${name}`, 'prn_edda', now, 'update', null, moment] as const;
      this.#tables.addVersion.run(document.number, document.sequence + 1, ...content, ...change);
      this.#tables.updateDocument.run(moment, now, commit, text, document.number);
      this.#record('document.update', document, commit, requestId);
      return { ...document, version_id: commit, changed_at: now };
    });
  }

  #fill(names: readonly string[], text: string): void {
    const blob = hashObject('blob', Buffer.from(text));
    this.#put('blob', Buffer.from(text));
    const entries: Buffer[] = [];
    let length = 0;
    for (const [index, name] of names.toSorted().entries()) {
      const entry = Buffer.concat([Buffer.from(`100644 ${name}\0`), blob]);
      entries.push(entry);
      length += entry.length;
      this.#places.set(name, length - 20);
      this.#tables.addDocument.run(index + 1, `doc_${index}`, name, Date.now(), Date.now(), '1', text);
    }
    this.#tree = Buffer.concat(entries);
    this.#treeOid = this.#put('tree', this.#tree);
    this.#chain = 0;
  }

  /** Runs the work of one turn of the event loop in one transaction, and answers when it is on the disk. */
  #durably<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (this.#waiting.push({ work, done: resolve }) > 1) return;
      setImmediate(() => {
        const group = this.#waiting;
        this.#waiting = [];
        this.#tables.begin.run();
        const results = group.map((entry) => entry.work());
        this.#tables.commit.run();
        for (const [index, { done }] of group.entries()) done(results[index] as never);
      });
    });
  }

  #put(type: 'commit' | 'tree' | 'blob', bytes: Buffer): Buffer {
    const oid = hashObject(type, bytes);
    const deflated = deflateSync(bytes, { level: 1 });
    this.#tables.addObject.run(oid.toString('hex'), types[type], null, bytes.length, deflated);
    return oid;
  }

  #replaceInTree(name: string, blob: Buffer): void {
    const place = this.#places.get(name) ?? 0;
    const next = Buffer.from(this.#tree);
    blob.copy(next, place);
    if (this.#chain >= longestChain) {
      this.#treeOid = this.#put('tree', next);
      this.#chain = 0;
    } else {
      const oid = hashObject('tree', next);
      const delta = encodeReplacement(next, place);
      const deflated = deflateSync(delta, { level: 0 });
      this.#tables.addObject.run(oid.toString('hex'), types.delta, this.#treeOid, delta.length, deflated);
      this.#treeOid = oid;
      this.#chain += 1;
    }
    this.#tree = next;
  }

  /** The commit of a new tree, with the trailers of the product's. @returns its name */
  #commit({ id, name }: FloorDocument, now: number, requestId: string): string {
    const root = this.#put('tree', Buffer.concat([Buffer.from('40000 docs\0'), this.#treeOid])).toString('hex');
    const who = `Edda <prn_edda@acme> ${Math.floor(now / 1000)} +0000`;
    const parent = this.#head === '' ? '' : `parent ${this.#head}\n`;
    const text = `tree ${root}\n${parent}author ${who}\ncommitter ${who}\n\nUpdate docs/${name}\n
Operation: update\nDocument: ${id}\nLocation: docs/${name}\nMedia-Type: ${mediaType}
Principal: prn_edda\nRequest: ${requestId}\nTime: ${new Date(now).toISOString()}
Audit-Head: ${this.#records} ${this.#lastHash}\n`;
    this.#head = this.#put('commit', Buffer.from(text)).toString('hex');
    return this.#head;
  }

  #record(action: string, { id, name }: FloorDocument, version: string, requestId: string): void {
    const salt = randomBytes(16);
    const target = createHmac('sha256', salt).update(`docs/${name}`).digest();
    const now = Date.now();
    const seq = (this.#records += 1);
    const who = { credential: 'key', interface: 'rest', principal: 'prn_edda', request_id: requestId };
    const what = { action, at: new Date(now).toISOString(), code: null, detail: null, outcome: 'done', version };
    const text = JSON.stringify({ ...who, ...what, prev_hash: this.#lastHash, seq, target: target.toString('hex') });
    const hash = createHash('sha256').update(text).digest();
    const row = [who.principal, who.credential, who.interface, action, null, target, version, requestId, null, hash];
    this.#tables.addRecord.run(seq, now, ...row);
    this.#tables.addText.run(seq, salt, `docs/${name}`, id);
    this.#lastHash = hash.toString('hex');
  }

  /** Moves waiting objects into a pack with an index, each second. */
  async #packForEver(): Promise<never> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, packEvery).unref());
      const upTo = this.#tables.newestObject.get()?.newest ?? null;
      if (upTo === null) continue;
      // The next pack has bases of its own.
      this.#chain = longestChain;
      const entries = this.#tables.objectsUpTo.all(upTo).map(({ oid, type, base, size, deflated }) => ({
        oid,
        header: base === null ? entryHeader(type, size) : Buffer.concat([entryHeader(type, size), base]),
        deflated,
      }));
      const { name, pack, index } = sealPack(layOutPack(entries));
      for (const [ending, bytes] of [
        ['pack', pack],
        ['idx', index],
      ] as const) {
        const file = await open(join(this.#folder, 'pack', `${name}.${ending}`), 'w');
        await file.write(bytes);
        await file.datasync();
        await file.close();
      }
      await this.#durably(() => this.#tables.removeObjects.run(upTo));
    }
  }
}

function hashObject(type: string, bytes: Buffer): Buffer {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest();
}

/** A delta (gitformat-pack(5)) that copies a tree but for the 20 bytes at `place`. Trees are up to 16 MB. */
function encodeReplacement(tree: Buffer, place: number): Buffer {
  const out: number[] = [];
  const putLength = (length: number): void => {
    for (let rest = length; ; rest >>>= 7) {
      out.push(rest >= 128 ? (rest & 127) | 128 : rest);
      if (rest < 128) return;
    }
  };
  // An offset of three bytes and a length of two, in pieces of up to 65,535 bytes.
  const copy = (from: number, to: number): void => {
    for (let at = from; at < to; at += 0xffff) {
      const length = Math.min(to - at, 0xffff);
      out.push(0b1011_0111, at & 255, (at >>> 8) & 255, at >>> 16, length & 255, length >>> 8);
    }
  };
  putLength(tree.length);
  putLength(tree.length);
  copy(0, place);
  out.push(20, ...tree.subarray(place, place + 20));
  copy(place + 20, tree.length);
  return Buffer.from(out);
}
