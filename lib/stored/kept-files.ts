import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../domain/clock.js';
import type { Tables } from '../sidecar/tables.js';
import type { StoredObject } from '../sidecar/tables/stored-object-table.js';
import { locateFile } from './locate-file.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';

export interface KeptFilesOptions {
  /** The folders of the workspace's repository and of its audit archives. */
  readonly repository: string;
  readonly archives: string;
  /** In whose folder new objects are stored. */
  readonly life: string;
  readonly clock: Clock;
  /** The key for a new object of this name: 32 bytes. */
  readonly keyOf: (name: string) => Uint8Array;
}

/** A listing of a folder, and whether it can have changed without a trace. */
interface Listing {
  readonly modified: bigint;
  readonly lookedAt: number;
  readonly isSettled: boolean;
  /** The names of its files as objects. */
  readonly names: ReadonlySet<string>;
}

/**
 * Milliseconds for which a folder must have been left alone, until its time of change tells that nothing has changed: a
 * file system counts these times in steps of some milliseconds.
 */
const settlesAfter = 200;
const rowsAtOnce = 1000;
const packName = /^pack-[0-9a-f]{40,64}\.pack$/;
const fanOut = /^[0-9a-f]{2}$/;
const restOfName = /^[0-9a-f]{38,62}$/;

/**
 * The files beside a workspace's sidecar that belong to its state: packs, blobs with files of their own, and archives of
 * the audit log. Each has a row with the key of its object.
 *
 * Whoever changes these files makes one before the sidecar needs it, and removes one after the sidecar needs it no more.
 * So the files that are there in one moment suffice for the state of the sidecar in that moment, and a listing in the
 * transaction that ends a cut needs no help of those who write.
 */
export class KeptFiles {
  readonly #options: KeptFilesOptions;
  /** The rows as this process knows them, by the folder of their files. */
  readonly #rows = new Map<string, Map<string, StoredObject>>();
  readonly #listings = new Map<string, Listing>();
  /** The listings that agree with the rows. */
  readonly #agreeing = new Map<string, ReadonlySet<string>>();
  /** Names of objects that the bucket may lack. */
  readonly #missing = new Set<string>();
  #archives: ReadonlySet<string> = new Set();
  #lastArchive: string | undefined;

  constructor(options: KeptFilesOptions) {
    this.#options = options;
  }

  /**
   * Reads the rows of earlier processes.
   * @param reader gives the present state after each wait
   * @param isStored whether the bucket has the object of a row
   */
  async load(reader: () => Tables, isStored: (row: StoredObject) => boolean): Promise<void> {
    for (let name = ''; ;) {
      const rows = reader().storedObjects.after(name, rowsAtOnce);
      for (const row of rows) {
        this.#keep(row);
        if (row.goneAt === null && !isStored(row)) this.#missing.add(row.name);
      }
      const last = rows.at(-1);
      if (last === undefined) return;
      ({ name } = last);
      await yieldToLoop();
    }
  }

  /** Whether the rows are those of the files that are there now. Synchronous, so that no write comes between. */
  isSettled(tables: Tables): boolean {
    return [...this.#look(tables)].every(([folder, names]) => this.#agrees(folder, names));
  }

  /**
   * Makes the rows those of the files that are there now, within a transaction.
   * @param most rows to change
   * @returns whether that was enough, and what is to be called once the transaction is durable
   */
  settle(tables: Tables, now: number, most: number): { readonly isWhole: boolean; note(this: void): void } {
    const changed: StoredObject[] = [];
    const isWhole = this.#settle(tables, now, most, changed);
    const note = (): void => {
      for (const row of changed) {
        this.#keep(row);
        if (row.goneAt === null) this.#missing.add(row.name);
        else this.#missing.delete(row.name);
      }
    };
    return { isWhole, note };
  }

  /** @returns false when it stopped after as many rows as it may change */
  #settle(tables: Tables, now: number, most: number, changed: StoredObject[]): boolean {
    for (const [folder, names] of this.#look(tables)) {
      if (this.#agrees(folder, names)) continue;
      const rows = this.#rows.get(folder) ?? new Map<string, StoredObject>();
      for (const name of names) {
        if (changed.length >= most) return false;
        const row = this.#settleFile(tables, name, rows.get(name));
        if (row !== undefined) changed.push(row);
      }
      for (const row of rows.values()) {
        if (row.goneAt !== null || names.has(row.name)) continue;
        if (changed.length >= most) return false;
        tables.storedObjects.mark(row.name, now);
        changed.push({ ...row, goneAt: now });
      }
    }
    return true;
  }

  /** The objects that the bucket may lack, in the order in which they were found. */
  missing(): StoredObject[] {
    return [...this.#missing].flatMap((name) => this.#rows.get(folderOf(name))?.get(name) ?? []);
  }

  noteStored(name: string): void {
    this.#missing.delete(name);
  }

  /** Where the file of an object lies, by the name of the object. */
  pathOf(name: string): string {
    return locateFile(this.#options, name);
  }

  /** Forgets a row that was removed. */
  forget(name: string): void {
    this.#rows.get(folderOf(name))?.delete(name);
    this.#missing.delete(name);
  }

  /** @returns the changed row */
  #settleFile(tables: Tables, name: string, known: StoredObject | undefined): StoredObject | undefined {
    if (known?.goneAt === null) return undefined;
    // A transaction that was refused can be durable nevertheless, and its rows are not known here then.
    const row = known ?? tables.storedObjects.find(name);
    if (known === undefined && row?.goneAt === null) return row;
    if (row !== undefined) {
      tables.storedObjects.mark(name, null);
      return { ...row, goneAt: null };
    }
    const { life, keyOf } = this.#options;
    const bytes = statSync(this.pathOf(name), { throwIfNoEntry: false })?.size;
    // It was listed a moment ago. The next look does without it.
    if (bytes === undefined) return undefined;
    const added = { name, life, bytes, key: Buffer.from(keyOf(name)), goneAt: null };
    tables.storedObjects.insert(added);
    return added;
  }

  #keep(row: StoredObject): void {
    const folder = folderOf(row.name);
    const rows = this.#rows.get(folder) ?? new Map<string, StoredObject>();
    this.#rows.set(folder, rows.set(row.name, row));
    this.#agreeing.delete(folder);
  }

  #agrees(folder: string, names: ReadonlySet<string>): boolean {
    if (this.#agreeing.get(folder) === names) return true;
    const rows = this.#rows.get(folder);
    for (const name of names) if (rows?.get(name)?.goneAt !== null) return false;
    for (const { name, goneAt } of rows?.values() ?? []) if (goneAt === null && !names.has(name)) return false;
    this.#agreeing.set(folder, names);
    return true;
  }

  /** The names of the objects of all files now, by folder. */
  *#look(tables: Tables): Generator<[string, ReadonlySet<string>], void, undefined> {
    const objects = join(this.#options.repository, 'objects');
    yield ['packs', this.#list(join(objects, 'pack'), (name) => (packName.test(name) ? `packs/${name}` : undefined))];
    const folders = this.#list(objects, (name) => (fanOut.test(name) ? `blobs/${name}` : undefined));
    for (const folder of new Set([...folders, ...this.#rows.keys()])) {
      if (!folder.startsWith('blobs/')) continue;
      const start = folder.slice('blobs/'.length);
      yield [
        folder,
        this.#list(join(objects, start), (name) => (restOfName.test(name) ? `${folder}${name}` : undefined)),
      ];
    }
    yield ['audit', this.#readArchives(tables)];
  }

  /** Their rows are never changed, and come in order. */
  #readArchives({ auditArchives }: Tables): ReadonlySet<string> {
    const last = auditArchives.last()?.file;
    if (last !== this.#lastArchive) {
      this.#archives = new Set(auditArchives.list().map(({ file }) => `audit/${file}`));
      this.#lastArchive = last;
    }
    return this.#archives;
  }

  #list(folder: string, nameOf: (file: string) => string | undefined): ReadonlySet<string> {
    const modified = statSync(folder, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
    if (modified === undefined) return nothing;
    const before = this.#listings.get(folder);
    if (before?.isSettled === true && before.modified === modified) return before.names;
    const lookedAt = this.#options.clock.elapsed();
    const isSettled = before?.modified === modified && lookedAt - before.lookedAt >= settlesAfter;
    const names = new Set(readdirSync(folder).flatMap((file) => nameOf(file) ?? []));
    // The first look at this state counts, or looks in quick succession would never let it settle.
    const since = before?.modified === modified ? before.lookedAt : lookedAt;
    this.#listings.set(folder, { modified, lookedAt: since, isSettled, names });
    return names;
  }
}

const nothing: ReadonlySet<string> = new Set();

/** `packs/pack-1f….pack` → packs, `blobs/1f2e…` → blobs/1f. */
function folderOf(name: string): string {
  const [kind = '', file = ''] = name.split('/');
  return kind === 'blobs' ? `blobs/${file.slice(0, 2)}` : kind;
}
