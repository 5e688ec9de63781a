import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { formatTime, type Clock, type Randomness } from '../domain/clock.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { FollowedFile } from '../sidecar/followed-file.js';
import { encodePageSet } from '../sidecar/page-set.js';
import type { PinnedPages } from '../sidecar/pinned-pages.js';
import type { Bucket } from './bucket.js';
import { followFolder, nameSealedFile } from './follow-folder.js';
import type { SetRange } from './join-sets.js';
import { formatObjectName } from './object-names.js';
import { sealKey } from './seal-key.js';
import { sealObject } from './seal-object.js';

/** A file that is followed: its log, and the files beside it. */
export interface ShardSource {
  /** Of the open file; another one once the file was opened anew. @throws while it cannot be opened */
  log(): FollowedFile;
  /**
   * Calls back in a moment when the rows of the objects are those of the files that are there. Nothing else runs between
   * the moment and the call. @throws errors of the journal
   */
  atMoment(cut: () => void): Promise<void>;
  /** Stores the objects that the bucket lacks. @throws BucketFault; the system's error for a file that is gone meanwhile */
  storeFiles(signal: AbortSignal): Promise<void>;
  /**
   * Where others have to be stored as they were at a cut of this file, or later, and before it: stores them. The state
   * is pinned meanwhile, and counts as one of the moment when they were all stored.
   */
  readonly storeOthers?: (isPoint: boolean, signal: AbortSignal) => Promise<void>;
}

export interface ShardStreamOptions {
  /** The name of the shard in the bucket. */
  readonly name: string;
  readonly life: string;
  readonly epoch: number;
  readonly bucket: Bucket;
  /** age recipients: who can restore. */
  readonly recipients: readonly string[];
  readonly dataFolder: string;
  readonly source: ShardSource;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** The state of a file at one moment, pinned, and the set that is made of it. */
interface Cut {
  readonly pinned: PinnedPages;
  readonly range: SetRange;
  readonly isWhole: boolean;
  readonly isPoint: boolean;
  readonly isHour: boolean;
}

/** Pages that were changed since a set of a kind, and the last group of that set. */
interface Changed {
  readonly pages: Set<number>;
  end: number;
}

/** Milliseconds between two sets that hold all since the one before of their kind. */
const mergedEvery = 60 * 60 * 1000;

/**
 * What is stored of one file in one epoch: page sets, one after the other, and points. A set holds the pages that were
 * changed since the set before, as they were at one moment. At a point, one set takes the place of all since the last
 * point; each hour, one set holds all of the hour; and once those outweigh the file, the file is stored as a whole.
 */
export class ShardStream {
  readonly #options: ShardStreamOptions;
  readonly #key: Uint8Array;
  #isKeyStored = false;
  #log: FollowedFile | undefined;
  /** A file that was opened anew, or was lost, counts its groups from 0: they come after all that were stored. */
  #before = 0;
  /** The last group that was cut. */
  #cutEnd = 0;
  /** The last group that is stored. */
  #end = 0;
  #isWholeDue = true;
  readonly #sincePoint: Changed = { pages: new Set(), end: 0 };
  readonly #sinceHour: Changed = { pages: new Set(), end: 0 };
  #hourBegan = 0;
  /** The moment of the last point: they never go back. */
  #pointMoment = 0;
  /** The point of a set that is stored, until it is stored too. */
  #owedPoint: { readonly last: number; readonly at: number } | undefined;
  #wholeBytes = 0;
  #hourBytes = 0;
  /** Sets since the last point, which the next one makes needless, with their bytes. */
  readonly #passing = new Map<string, number>();
  /** Sets before the last point, until they are removed. */
  readonly #needless: string[] = [];
  /** When the last state was cut that is stored, by the steady clock; undefined before the first. */
  #storedAt: number | undefined;
  #bytesStored = 0;

  constructor(options: ShardStreamOptions) {
    this.#options = options;
    this.#key = options.randomness.bytes(32);
  }

  get epoch(): number {
    return this.#options.epoch;
  }

  get progress(): {
    readonly group: number;
    readonly unstoredPages: number;
    readonly pointAt: number | null;
    readonly bytes: number;
  } {
    return {
      group: this.#end,
      unstoredPages: this.#log?.changed ?? 0,
      pointAt: this.#pointMoment === 0 ? null : this.#pointMoment,
      bytes: this.#bytesStored,
    };
  }

  /** By the steady clock: the moment whose state is stored; undefined before the first. */
  get storedAt(): number | undefined {
    return this.#storedAt;
  }

  /**
   * Stores what was changed, where anything was.
   * @param isPoint whether the state is to be one that can be restored by its time
   * @throws BucketFault; errors of the file, the disk and the journal. What was changed stays noted then
   */
  async store(isPoint: boolean, signal: AbortSignal): Promise<void> {
    const { source, clock } = this.#options;
    const lookedAt = clock.elapsed();
    await this.#storePoint(signal);
    if (this.#isAsStored(isPoint)) {
      await source.storeOthers?.(isPoint, signal);
      this.#storedAt = lookedAt;
      return;
    }
    for (;;) {
      const made: { cut?: Cut | undefined } = {};
      await source.atMoment(() => {
        made.cut = this.#cut(isPoint);
      });
      if (made.cut !== undefined) await this.#storeCut(made.cut, isPoint, signal);
      else if (!this.#isWholeDue) await source.storeOthers?.(isPoint, signal);
      if (made.cut !== undefined || !this.#isWholeDue) break;
      // The log of a file that is new to us is read in steps.
      await yieldToLoop();
      signal.throwIfAborted();
    }
    this.#storedAt = lookedAt;
  }

  /** Whether nothing has changed. Asked first, because a cut looks at the files, and most workspaces rest. */
  #isAsStored(isPoint: boolean): boolean {
    const log = this.#options.source.log();
    if (log !== this.#log || this.#isWholeDue || log.hasChanged) return false;
    return !isPoint || this.#sincePoint.end === this.#end;
  }

  /** Lets go of the file. */
  close(): void {
    this.#log = undefined;
  }

  /** Synchronous: the numbers of pages and what is pinned are of one state. */
  #cut(isPointDue: boolean): Cut | undefined {
    const log = this.#options.source.log();
    if (log !== this.#log || log.isLost) {
      this.#log = log;
      this.#isWholeDue = true;
      this.#before = this.#cutEnd + 1;
    }
    const isHour = isPointDue && this.#options.clock.elapsed() - this.#hourBegan >= mergedEvery;
    if (this.#isWholeDue || (isHour && this.#hourBytes > this.#wholeBytes)) {
      const pinned = log.cutWhole(this.#options.clock.now());
      if (pinned === undefined) return undefined;
      const last = this.#before + pinned.groups.last;
      return { pinned, range: this.#rangeOf({ first: 0, last }), isWhole: true, isPoint: true, isHour: true };
    }
    const since = isHour ? this.#sinceHour : this.#sincePoint;
    const isOwed = isPointDue && since.end < this.#end;
    const pinned = log.cut(this.#options.clock.now(), isOwed ? since.pages : undefined);
    if (pinned === undefined) return undefined;
    const first = isPointDue ? since.end + 1 : this.#before + pinned.groups.first;
    const range = this.#rangeOf({ first, last: this.#before + pinned.groups.last });
    return { pinned, range, isWhole: false, isPoint: isPointDue, isHour };
  }

  #rangeOf(range: SetRange): SetRange {
    this.#cutEnd = range.last;
    return range;
  }

  async #storeCut(cut: Cut, isPointRound: boolean, signal: AbortSignal): Promise<void> {
    const { bucket, clock, dataFolder, randomness, source } = this.#options;
    const name = formatObjectName({ kind: 'set', ...this.#shard, ...cut.range });
    const file = nameSealedFile(followFolder(dataFolder), randomness);
    let { at } = cut.pinned;
    try {
      if (source.storeOthers !== undefined) {
        await source.storeOthers(isPointRound, signal);
        at = Math.max(at, clock.now());
      }
      // One set since the last point, and nothing behind it: it is the point's own. What is stored is never overwritten.
      if (!this.#passing.has(name)) {
        await this.#write(cut, at, name, file);
        // Nothing is read any more, and the log is free while the bucket is waited for.
        cut.pinned.release();
        const { size } = await stat(file);
        await this.#storeKey(signal);
        await source.storeFiles(signal);
        await bucket.putFile(name, file, { signal });
        this.#bytesStored += size;
        this.#passing.set(name, size);
      }
      cut.pinned.release();
      this.#note(cut, this.#passing.get(name) ?? 0);
    } catch (error) {
      this.#log?.giveBack(cut.pinned);
      throw error;
    } finally {
      await rm(file, { force: true });
    }
    if (!cut.isPoint) return;
    this.#passing.delete(name);
    this.#owedPoint = { last: cut.range.last, at: Math.max(at, this.#pointMoment + 1) };
    await this.#storePoint(signal);
  }

  /** Notes what is stored. Pages that were changed since the cut are noted at the next one. */
  #note({ pinned, range, isWhole, isPoint, isHour }: Cut, bytes: number): void {
    this.#end = range.last;
    for (const [since, isDone] of [
      [this.#sincePoint, isPoint],
      [this.#sinceHour, isHour],
    ] as const) {
      if (isDone) {
        since.pages.clear();
        since.end = range.last;
      } else for (const page of pinned.numbers) since.pages.add(page);
    }
    if (isHour) {
      this.#hourBegan = this.#options.clock.elapsed();
      this.#hourBytes = isWhole ? 0 : this.#hourBytes + bytes;
    }
    if (isWhole) {
      this.#isWholeDue = false;
      this.#wholeBytes = bytes;
    }
  }

  async #write({ pinned, range }: Cut, at: number, name: string, file: string): Promise<void> {
    const { epoch, randomness } = this.#options;
    const { pageSize, pages, numbers } = pinned;
    const set = encodePageSet({ pageSize, pages, ...range, at, numbers }, pinned.batches());
    const sealed = sealObject(set, { name, generation: epoch, key: this.#key, randomness });
    await pipeline(sealed, createWriteStream(file, { mode: 0o600, flags: 'wx' }));
  }

  async #storeKey(signal: AbortSignal): Promise<void> {
    if (this.#isKeyStored) return;
    const { bucket, epoch, life, name: shard, randomness, recipients } = this.#options;
    const sealed = await sealKey(this.#key, { shard, generation: epoch, to: { recipients } }, randomness);
    const name = formatObjectName({ kind: 'key', shard, life, generation: epoch });
    await bucket.putBytes(name, Buffer.from(sealed), { signal });
    this.#isKeyStored = true;
  }

  /** The one that the last set made possible. */
  async #storePoint(signal: AbortSignal): Promise<void> {
    const point = this.#owedPoint;
    if (point === undefined) return;
    const { bucket, epoch, life, name: shard, randomness } = this.#options;
    const name = formatObjectName({ kind: 'point', ...this.#shard, ...point });
    const text = JSON.stringify({ format: 1, shard, life, epoch, group: point.last, at: formatTime(point.at) });
    const means = { name, generation: epoch, key: this.#key, randomness };
    await bucket.putBytes(name, await gather(sealObject(piecesOf(Buffer.from(text)), means)), { signal });
    this.#pointMoment = point.at;
    this.#owedPoint = undefined;
    this.#needless.push(...this.#passing.keys());
    this.#passing.clear();
  }

  /**
   * Removes the sets that the last point made needless. To be called once all files have that point: until then a moment
   * before it is restored with these sets. Never throws: a sweep finds what is left of them.
   */
  async removeNeedless(signal: AbortSignal): Promise<void> {
    await this.#options.bucket.delete(this.#needless.splice(0), { signal }).catch(() => undefined);
  }

  get #shard(): { readonly shard: string; readonly life: string; readonly epoch: number } {
    const { name: shard, life, epoch } = this.#options;
    return { shard, life, epoch };
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function gather(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const gathered: Buffer[] = [];
  for await (const piece of pieces) gathered.push(piece);
  return Buffer.concat(gathered);
}
