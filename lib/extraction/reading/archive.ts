import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { freelyUnpackedBytes, maxEntries, maxExpansion, maxUnpackedBytes } from '../bounds.js';
import { Unreadable } from './unreadable.js';

/** A zip archive in memory, whose entries are unpacked as streams and within bounds. */
export class Archive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  #unpacked = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  /** @throws Unreadable `too_many_parts`; Error for what is no archive */
  static async open(bytes: Buffer): Promise<Archive> {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, autoClose: false });
    if (zip.entryCount > maxEntries) throw new Unreadable('too_many_parts');
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) {
      if (entries.size === maxEntries) throw new Unreadable('too_many_parts');
      if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry);
    }
    return new Archive(zip, entries);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /**
   * Unpacks an entry, piece by piece.
   * @returns whether there is one of this name
   * @throws Unreadable `expands_too_far`, `encrypted`; Error where it is damaged
   */
  async read(name: string, take: (piece: Buffer) => void): Promise<boolean> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return false;
    if (entry.isEncrypted()) throw new Unreadable('encrypted');
    const most = Math.max(freelyUnpackedBytes, entry.compressedSize * maxExpansion);
    if (entry.uncompressedSize > most) throw new Unreadable('expands_too_far');
    let size = 0;
    for await (const piece of await this.#zip.openReadStreamPromise(entry)) {
      size += (piece as Buffer).length;
      this.#unpacked += (piece as Buffer).length;
      if (size > most || this.#unpacked > maxUnpackedBytes) throw new Unreadable('expands_too_far');
      take(piece as Buffer);
    }
    return true;
  }

  /** A small entry as a whole. Undefined where there is none. @param most bytes */
  async readWhole(name: string, most = freelyUnpackedBytes): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    let size = 0;
    const isThere = await this.read(name, (piece) => {
      size += piece.length;
      if (size > most) throw new Unreadable('expands_too_far');
      pieces.push(piece);
    });
    return isThere ? Buffer.concat(pieces) : undefined;
  }
}
