import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hashObject, type GitObject, type Oid } from './objects.js';
import { OpenPack } from './open-pack.js';
import type { RepositoryFolder } from './repository-folder.js';

/** Milliseconds without a read after which nothing is kept open. */
const idleTime = 60_000;

/** A pack that is there. */
interface Slot {
  readonly name: string;
  /** Opened when it is first looked into; null when it could not be. */
  pack: OpenPack | null | undefined;
}

/**
 * Reads objects straight out of packs, on the event loop's thread: for small ones that takes less time than asking
 * another process. It only ever helps: for what it does not find, what is large and what is damaged somebody else has
 * to be asked, who can also tell absent from unreadable. What it does give is what the object's name says.
 *
 * Packs that it has looked into stay open, and the indexes of small ones in memory: of a million objects a few
 * megabytes, since joining leaves few packs, and only the last of them small.
 */
export class PackReader {
  readonly #folder: string;
  readonly #largest: number;
  /** The one that was of use last comes first; null until they are looked for. */
  #slots: Slot[] | null = null;
  /** When names last came or went in the folder, as the file system says. */
  #changedAt = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param largest bytes of the largest object that is read */
  constructor(folder: RepositoryFolder, largest: number) {
    this.#folder = folder.at('objects', 'pack');
    this.#largest = largest;
  }

  /** The object, or undefined where somebody else has to be asked. Never throws. */
  read(oid: Oid): GitObject | undefined {
    if (this.#isClosed) return undefined;
    if (this.#idleTimer === undefined) this.#idleTimer = setTimeout(() => this.forget(), idleTime).unref();
    else this.#idleTimer.refresh();
    try {
      if (this.#slots === null) this.#list();
      else {
        const object = this.#find(oid);
        if (object !== undefined || !this.#isOutdated()) return object ?? undefined;
        this.#list();
      }
      return this.#find(oid) ?? undefined;
    } catch {
      return undefined;
    }
  }

  /** Closes every file, so that none is held that was removed, and drops what was read of them. */
  forget(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
    for (const { pack } of this.#slots ?? []) pack?.close();
    this.#slots = null;
  }

  /** The same, for good. */
  close(): void {
    this.forget();
    this.#isClosed = true;
  }

  /** @returns null where it was found and cannot be given */
  #find(oid: Oid): GitObject | null | undefined {
    const slots = this.#slots ?? [];
    for (let place = 0; place < slots.length; place++) {
      const slot = slots[place];
      if (slot === undefined) continue;
      const object = this.#readFrom(slot, oid);
      if (object === undefined) continue;
      slots.splice(place, 1);
      slots.unshift(slot);
      return object;
    }
    return undefined;
  }

  #readFrom(slot: Slot, oid: Oid): GitObject | null | undefined {
    for (let attempt = 0; attempt < 2; attempt++) {
      const pack = this.#open(slot);
      if (pack === null) return undefined;
      try {
        const object = pack.read(oid, this.#largest);
        if (object === null || object === undefined || hashObject(object.type, object.bytes) === oid) return object;
      } catch {
        // Damaged; the same as another object under its name.
      }
      // It may have been mended since it was opened, which puts another file in its place.
      pack.close();
      slot.pack = undefined;
    }
    return null;
  }

  #open(slot: Slot): OpenPack | null {
    if (slot.pack !== undefined) return slot.pack;
    try {
      slot.pack = new OpenPack(join(this.#folder, slot.name));
    } catch {
      slot.pack = null;
    }
    return slot.pack;
  }

  #isOutdated(): boolean {
    return statSync(this.#folder).mtimeMs !== this.#changedAt;
  }

  /** Looks which packs there are. Those that stay, stay open. */
  #list(): void {
    const before = new Map(this.#slots?.map((slot) => [slot.name, slot]));
    this.#slots = [];
    this.#changedAt = statSync(this.#folder).mtimeMs;
    for (const file of readdirSync(this.#folder)) {
      const name = /^(pack-[0-9a-f]{40})\.idx$/.exec(file)?.[1];
      if (name === undefined) continue;
      this.#slots.push({ name, pack: before.get(name)?.pack ?? undefined });
      before.delete(name);
    }
    for (const { pack } of before.values()) pack?.close();
  }
}
