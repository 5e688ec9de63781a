import type { BigIntStats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EnclosedFolder } from '../../disk/enclosed-folder.js';
import {
  UnreadableFile,
  type Listing,
  type Source,
  type SourceFile,
  type SourceKind,
  type SourceMeans,
  type SourceMemory,
} from '../source.js';
import { isInState, stampWidth, tellMoment, type Moment } from './describe-state.js';
import { faultOf, missing, openAllowed } from './find-allowed.js';
import { describeObstacle, walkSource } from './walk-source.js';

/** What a folder's connector needs to know. */
export interface FolderSettings {
  /** Absolute path on the service's machine. */
  readonly path: string;
}

/** A folder of the service's machine, below those that its operator lists. */
export const folderKind: SourceKind<FolderSettings> = {
  settingsSchema: {
    type: 'object',
    required: ['path'],
    additionalProperties: false,
    properties: {
      path: {
        type: 'string',
        minLength: 1,
        maxLength: 4096,
        description:
          "Absolute path of a folder on the service's machine, below one of the setting `connector_folders`.",
      },
    },
  },
  secretMeans: null,
  readsAtOnce: 8,
  describe: ({ path }) => `The folder ${path} of the service's machine`,
  async open({ path }, _secret, means) {
    const root = await openAllowed(path, means);
    const data = means.dataFolder === null ? null : await stat(means.dataFolder, { bigint: true });
    return new FolderSource(root, data, means);
  },
};

type FolderMeans = Pick<SourceMeans, 'cacheFolder' | 'memory' | 'maxEntries'>;

const pieceSize = 64 * 1024;

class FolderSource implements Source {
  readonly #root: EnclosedFolder;
  readonly #data: BigIntStats | null;
  readonly #means: FolderMeans;
  /** Ends when a change of a listed file gets another stamp than the one listed. */
  #settled: Promise<unknown> = Promise.resolve();

  constructor(root: EnclosedFolder, data: BigIntStats | null, means: FolderMeans) {
    this.#root = root;
    this.#data = data;
    this.#means = means;
  }

  async check(signal: AbortSignal): Promise<string> {
    let count = 0;
    try {
      for await (const looks of this.#root.look(this.#root.path)) {
        signal.throwIfAborted();
        count += looks.length;
        if (count > countedAtMost) return `The folder is there, with more than ${countedAtMost} entries at its top.`;
      }
    } catch (error) {
      throw faultOf(error);
    }
    return `The folder is there, with ${count === 1 ? 'one entry' : `${count} entries`} at its top.`;
  }

  /** No folder knows what has changed below it. */
  probe(): Promise<'maybe_changed'> {
    return Promise.resolve('maybe_changed');
  }

  async list(_cursor: string | null, signal: AbortSignal): Promise<Listing> {
    const moment = await tellMoment(this.#means.cacheFolder);
    this.#settled = delay(stampWidth, undefined, { ref: false });
    return { mode: 'snapshot', entries: this.#walk(moment, signal), cursor: () => null, version: () => null };
  }

  async *#walk(moment: Moment, signal: AbortSignal): ReturnType<typeof walkSource> {
    const { path } = this.#root;
    const stats = await this.#look();
    const isMounted = stats.dev !== (await lstat(dirname(path), { bigint: true })).dev;
    const { memory, maxEntries } = this.#means;
    const before = recallMounts(memory, path);
    const mounts = new Set(isMounted ? [''] : []);
    const [root, data] = [this.#root, this.#data];
    yield* walkSource({ root, data, maxEntries, stats, moment, before, mounts }, signal);
    // A root that went away during the walk left everything out.
    const after = await this.#look();
    if (after.dev !== stats.dev || after.ino !== stats.ino) throw missing();
    await rememberMounts(memory, { root: path, at: [...mounts] });
  }

  async *read(file: SourceFile, maxBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    await this.#settled;
    try {
      yield* this.#readPieces(file, maxBytes, signal);
    } catch (error) {
      if (signal.aborted || error instanceof UnreadableFile) throw error;
      throw new UnreadableFile('unreadable', describeObstacle(error), error);
    }
  }

  async *#readPieces(file: SourceFile, maxBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const handle = await this.#root.openFile(join(this.#root.path, file.path));
    try {
      const requireUnchanged = async (): Promise<BigIntStats> => {
        const stats = await handle.stat({ bigint: true });
        if (!isInState(stats, file.version)) throw new UnreadableFile('unreadable', 'it changed while it was read');
        return stats;
      };
      const { size } = await requireUnchanged();
      if (size > maxBytes) throw new UnreadableFile('too_large', `${size} bytes`);
      for (let left = Number(size); left > 0;) {
        signal.throwIfAborted();
        const piece = Buffer.allocUnsafeSlow(Math.min(left, pieceSize));
        const { bytesRead } = await handle.read(piece, 0, piece.length);
        if (bytesRead === 0) throw new UnreadableFile('unreadable', 'it changed while it was read');
        left -= bytesRead;
        yield piece.subarray(0, bytesRead);
      }
      await requireUnchanged();
    } finally {
      await handle.close();
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** @throws SourceFault `not_found` where the root is gone */
  async #look(): Promise<BigIntStats> {
    try {
      return await lstat(this.#root.path, { bigint: true });
    } catch (error) {
      throw faultOf(error);
    }
  }
}

const countedAtMost = 1000;

/** Where disks were mounted when a folder was last walked. */
interface Mounts {
  /** The walked folder. */
  readonly root: string;
  /** Folders below the root by their paths; '' is the root itself. */
  readonly at: readonly string[];
}

/**
 * What the last walk of a folder remembered. It is no cursor: a sync forgets its cursor when something could not be
 * read, and a disk that is not mounted is just that.
 */
function recallMounts(memory: SourceMemory, root: string): ReadonlySet<string> {
  const text = memory.read();
  if (text === null) return new Set();
  const known = JSON.parse(text) as Mounts;
  return new Set(known.root === root ? known.at : []);
}

/** Remembers them for the next walk. */
async function rememberMounts(memory: SourceMemory, { root, at }: Mounts): Promise<void> {
  const text = JSON.stringify({ root, at: at.toSorted() });
  if (text !== memory.read()) await memory.write(text);
}
