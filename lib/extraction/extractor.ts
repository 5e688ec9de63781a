import { existsSync } from 'node:fs';
import type { Extraction } from '../domain/extraction.js';
import { maxFileBytes } from './bounds.js';
import { startStopwatch } from '../scheduling/start-stopwatch.js';
import { ChildLost, ExtractionChild, type ExtractionBounds, type FileToRead, type Outcome } from './child-process.js';
import { shell } from './system-limits.js';
import { kindOf } from './file-kinds.js';

const mebibyte = 1024 * 1024;

/** The number of the way in which text is made. Another one reads every file anew. */
export const extractorNumber = 2;

export interface ExtractorOptions extends Partial<ExtractionBounds> {
  /** Children at the same time. 0: no text is made. Left out: one. */
  readonly processes?: number | undefined;
  /** Whether the system bounds a child. Left out: as it can. */
  readonly isLimited?: boolean | undefined;
  /** Whether the memory of a child is watched. Left out: where the system may not bound it. */
  readonly isWatched?: boolean | undefined;
  /** Is told of each file what became of it, and what that took. */
  readonly onRead?: ((read: ReadOutcome) => void) | undefined;
  /** Is told of each process that something outside ended while it read a file. */
  readonly onLost?: (() => void) | undefined;
}

/** What became of a file, and what that took. */
export interface ReadOutcome extends Outcome {
  /** Of the file. */
  readonly bytes: number;
  /** From the moment in which a process had it. */
  readonly milliseconds: number;
}

/** A file, and who wrote it. */
export interface Submitted extends FileToRead {
  /** A word for the writer of these bytes, and no other: a child reads files of one writer alone. */
  readonly writer: string;
}

/** Files that one child reads at most. */
const maxFilesOfChild = 64;
/** Milliseconds for which an idle child is kept. */
const keptFor = 10_000;

const ended = (): ChildLost => new ChildLost('The reading is ended.');

interface Kept {
  readonly child: ExtractionChild;
  readonly writer: string;
  readonly timer: NodeJS.Timeout;
}

/**
 * Makes text of files in processes that can take little and reach nothing (decision 0387). Files come in turn. The same
 * bytes of two documents are read twice: nothing is kept here.
 */
export class Extractor {
  readonly #bounds: ExtractionBounds;
  readonly #options: { readonly isLimited: boolean; readonly isWatched: boolean };
  readonly #onRead: ExtractorOptions['onRead'];
  readonly #onLost: ExtractorOptions['onLost'];
  #free: number;
  readonly #waiting = new Set<() => void>();
  readonly #kept = new Set<Kept>();
  readonly #busy = new Set<ExtractionChild>();
  #isClosed = false;
  /** Whether text is made at all. */
  readonly isOn: boolean;

  constructor({ processes = 1, memory, seconds, isLimited, isWatched, onRead, onLost }: ExtractorOptions = {}) {
    this.#bounds = { memory: memory ?? 400 * mebibyte, seconds: seconds ?? 30 };
    const limits = isLimited ?? existsSync(shell);
    // Other systems take the limit of data and do not keep it. Where there is no /proc, nothing is seen.
    this.#options = { isLimited: limits, isWatched: isWatched ?? !(limits && process.platform === 'linux') };
    this.#onRead = onRead;
    this.#onLost = onLost;
    this.#free = processes;
    this.isOn = processes > 0;
  }

  /** Whether text is made of such files. */
  reads(mediaType: string, name: string): boolean {
    return this.isOn && kindOf(mediaType, name) !== undefined;
  }

  /**
   * The text of a file with its parts, or why there is none.
   * @param signal ends the reading, and the wait for its turn
   * @throws ChildLost where something outside ended its process, twice, or the signal did
   */
  async extract(file: Submitted, signal?: AbortSignal): Promise<Extraction> {
    const kind = kindOf(file.mediaType, file.name);
    if (kind === undefined || !this.isOn) return { reason: 'no_text' };
    if (file.bytes.length > maxFileBytes) return { reason: 'too_large' };
    await this.#takeTurn(signal);
    const readTime = startStopwatch();
    try {
      const outcome = await this.#readOnce(file, signal).catch((error: unknown) => {
        if (!(error instanceof ChildLost) || this.#isClosed) throw error;
        return this.#readOnce(file, signal);
      });
      this.#onRead?.({ ...outcome, bytes: file.bytes.length, milliseconds: readTime() });
      return outcome.extraction;
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  /**
   * Ends the children that read nothing now, and each other one after its present file. They may have bytes of the files
   * before in their memory.
   */
  dropIdle(): void {
    for (const kept of this.#kept) this.#drop(kept);
    for (const child of this.#busy) child.retire();
  }

  /** Ends all children. What they read is lost. */
  close(): void {
    this.#isClosed = true;
    this.dropIdle();
    for (const child of this.#busy) child.end();
  }

  /** @throws ChildLost where the signal comes first */
  async #takeTurn(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) throw ended();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(take);
        reject(ended());
      };
      const take = (): void => {
        this.#waiting.delete(take);
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.add(take);
      signal?.addEventListener('abort', leave);
    });
  }

  async #readOnce(file: Submitted, signal: AbortSignal | undefined): Promise<Outcome> {
    if (this.#isEnded(signal)) throw ended();
    const child = this.#takeChild(file.writer);
    this.#busy.add(child);
    const end = (): void => child.end();
    signal?.addEventListener('abort', end);
    try {
      return await child.read(file);
    } catch (error) {
      if (error instanceof ChildLost && !this.#isEnded(signal)) this.#onLost?.();
      throw error;
    } finally {
      signal?.removeEventListener('abort', end);
      this.#busy.delete(child);
      this.#keep(child, file.writer);
    }
  }

  #isEnded(signal: AbortSignal | undefined): boolean {
    return this.#isClosed || signal?.aborted === true;
  }

  /** A child of this writer, or a new one. One of another writer makes room for it. */
  #takeChild(writer: string): ExtractionChild {
    for (const kept of this.#kept) {
      const isFit = kept.writer === writer && kept.child.isUsable;
      if (!isFit) continue;
      clearTimeout(kept.timer);
      this.#kept.delete(kept);
      return kept.child;
    }
    for (const kept of this.#kept) this.#drop(kept);
    return new ExtractionChild(this.#bounds, this.#options);
  }

  #keep(child: ExtractionChild, writer: string): void {
    if (this.#isClosed || !child.isUsable || child.files >= maxFilesOfChild) {
      child.end();
      return;
    }
    const kept = { child, writer, timer: setTimeout(() => this.#drop(kept), keptFor).unref() };
    this.#kept.add(kept);
  }

  #drop(kept: Kept): void {
    clearTimeout(kept.timer);
    this.#kept.delete(kept);
    kept.child.end();
  }
}
