import { randomBytes } from 'node:crypto';
import {
  UnreadableFile,
  type Listing,
  type Source,
  type SourceFile,
  type SourceMeans,
  type SourceMemory,
} from '../../lib/connectors/source.js';
import { noLog } from '../support/http/log.js';
import type { Remote } from './remote.js';

const realClock = { now: () => Date.now(), elapsed: () => performance.now() };

/** What a source remembers, as the row of its connector would keep it. */
export class TestMemory implements SourceMemory {
  #text: string | null = null;

  read(): string | null {
    return this.#text;
  }

  write(text: string): Promise<void> {
    this.#text = text;
    return Promise.resolve();
  }
}

/** What the service would hand to a kind. */
export function meansOf(remote: Pick<Remote, 'allowance'>, cacheFolder: string, maxEntries = 10_000): SourceMeans {
  return {
    allowance: { hosts: [], folders: [], programs: {}, ...remote.allowance },
    clock: realClock,
    randomness: { bytes: (count) => randomBytes(count) },
    log: noLog,
    dataFolder: null,
    cacheFolder,
    memory: new TestMemory(),
    maxEntries,
  };
}

/** What listings said so far, as a sync would keep it. */
export class Follower {
  readonly files = new Map<string, SourceFile>();
  readonly skipped = new Map<string, string>();
  readonly unreadable: string[] = [];
  cursor: string | null = null;
  /** Of the last listing. */
  mode: Listing['mode'] | undefined;

  async follow(source: Source, signal: AbortSignal): Promise<void> {
    const listing = await source.list(this.cursor, signal);
    this.mode = listing.mode;
    this.unreadable.length = 0;
    if (listing.mode === 'snapshot') {
      this.files.clear();
      this.skipped.clear();
    }
    for await (const part of listing.entries) {
      for (const entry of part) {
        if (entry.type === 'file') this.#put(entry);
        else if (entry.type === 'skipped') this.skipped.set(entry.path, entry.reason);
        else if (entry.type === 'unreadable') this.unreadable.push(entry.path);
        else this.#remove(entry.id, entry.path);
      }
    }
    this.cursor = listing.cursor();
  }

  #put(file: SourceFile): void {
    // In a delta, a known id at another path has moved.
    if (file.id !== undefined && this.mode === 'delta') this.#remove(file.id, undefined);
    this.files.set(file.path, file);
  }

  #remove(id: string | undefined, path: string | undefined): void {
    for (const file of this.files.values()) {
      if (id === undefined ? file.path === path : file.id === id) this.files.delete(file.path);
    }
  }
}

/** A file's whole content. */
export async function readWhole(
  source: Source,
  file: SourceFile,
  signal: AbortSignal,
  maxBytes = 64 * 1024 * 1024,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source.read(file, maxBytes, signal)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The content, or null where the file alone cannot be read. */
export async function readIfReadable(source: Source, file: SourceFile, signal: AbortSignal): Promise<Buffer | null> {
  try {
    return await readWhole(source, file, signal);
  } catch (error) {
    if (error instanceof UnreadableFile) return null;
    throw error;
  }
}
