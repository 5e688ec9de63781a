import { createHash } from 'node:crypto';
import { readLfsPointer } from '../../domain/lfs-pointer.js';
import { faultOfNewLocation, type Location } from '../../domain/location.js';
import type { OriginalAuthor } from '../../domain/original-author.js';
import { conflict, Refusal } from '../../domain/refusal.js';
import { showPolicy } from '../../operations/workspaces/change-policy.js';
import type { ContentSource } from '../../operations/documents/content.js';
import { importDocuments } from '../../operations/folders/import-documents.js';
import { ImportPreview, previewImport } from '../../operations/folders/preview-import.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import type { WorkspaceContext } from '../command.js';
import { EntryCounter, tooManyBytes, type ImportBounds } from './count-entries.js';
import type { SkippedEntry } from './walk-folder.js';

/** A batch is one commit: enough to be fast, little enough to hold in memory and to be undone by a crash. */
const batchFiles = 256;
const batchBytes = 8 * 1024 * 1024;
/** Larger files are streamed, one in a batch. Bytes. */
const readWholeUpTo = 1024 * 1024;
/** Milliseconds between two reports of the progress. */
const reportEvery = 200;
/** Folders that programs fill with what they download or make: hardly content that people mean to share. */
const installedFolders: readonly string[] = ['node_modules', '.venv', '__pycache__', '.tox', 'bower_components'];
/** Skipped entries, and what a dry run would create, are named up to here and counted beyond. */
const maxNamed = 10_000;

export interface Limits {
  /** Bytes up to which a file is read whole. */
  readonly whole: number;
  /** The policy's limit. Bytes. */
  readonly largest: number;
}

/** A file to import, from any source. */
export interface FoundFile {
  /** As people know it. */
  readonly shown: string;
  readonly location: Location;
  /** Bytes. */
  readonly size: number;
  /** Its content, or why it cannot be had. */
  open(limits: Limits): Promise<ContentSource | string>;
}

/** How an import went. */
interface ImportOutcome {
  readonly created: number;
  readonly unchanged: number;
  readonly skipped: readonly SkippedEntry[];
  /** The number of further entries, where there are too many to name. */
  readonly skipped_not_named?: number;
  /** The number of files in folders that programs fill, such as node_modules, by the folder's name. */
  readonly installed?: Readonly<Record<string, number>>;
  /** `.gitignore` files that left nothing out, and why. */
  readonly unheeded?: readonly SkippedEntry[];
  /** Of a dry run, which writes nothing: the numbers are those of an import now. */
  readonly dry_run?: true;
  readonly would_create?: readonly Location[];
  /** The number of further documents, where there are too many to name. */
  readonly would_create_not_named?: number;
  readonly seconds: number;
}

/** What the commit of a batch says about it: a message, and the author of its source. */
export interface Account {
  readonly message: string | null;
  readonly originalAuthor?: OriginalAuthor | undefined;
}

export interface ImportOptions {
  readonly bounds: ImportBounds;
  /** Whether it only says what would be done. */
  readonly isDry: boolean;
}

/** One import: its target, its progress, and in the end its outcome. */
export class ImportRun {
  readonly context: WorkspaceContext;
  readonly into: Location;
  #limits: Limits;
  /** Of a dry run: what it would have written so far. */
  readonly #preview: ImportPreview | undefined;
  readonly #wouldCreate: Location[] = [];
  /** The commit being imported, and the number of all. */
  position: { readonly commits: number; readonly of: number } | undefined;
  readonly #started: number;
  #told: number;
  readonly #tally = { created: 0, updated: 0, deleted: 0, unchanged: 0, bytes: 0 };
  readonly #skipped = new Map<string, SkippedEntry>();
  readonly #bounds: ImportBounds;
  readonly #installed = new Map<string, number>();
  readonly #unheeded: SkippedEntry[] = [];
  #notNamed = 0;
  /** Bytes of the files found. */
  #found = 0;

  private constructor(context: WorkspaceContext, into: Location, options: ImportOptions, limits: Limits) {
    const { bounds, isDry } = options;
    this.#preview = isDry ? new ImportPreview() : undefined;
    this.context = context;
    this.into = into;
    this.#bounds = bounds;
    this.#limits = limits;
    this.#started = context.host.clock.now();
    this.#told = this.#started;
  }

  static async start(context: WorkspaceContext, into: Location, options: ImportOptions): Promise<ImportRun> {
    return new ImportRun(context, into, options, await readLimits(context));
  }

  get limits(): Limits {
    return this.#limits;
  }

  count(what: 'created' | 'updated' | 'deleted' | 'unchanged'): void {
    this.#tally[what] += 1;
  }

  /** Counts entries up to the bound. It reports the count, and ends when the import is stopped. */
  countEntries(): EntryCounter {
    return new EntryCounter(this.#bounds.maxFiles, async (counted) => {
      this.requireGoingOn();
      await this.reportProgress(counted);
    });
  }

  /** Skips an entry, recorded once for each reason. */
  skip(entry: SkippedEntry): void {
    const key = `${entry.path}\0${entry.reason}`;
    if (this.#skipped.size < maxNamed || this.#skipped.has(key)) this.#skipped.set(key, entry);
    else this.#notNamed += 1;
  }

  /** Counts a file in a folder that a program filled. @param shown its path in the source */
  noteInstalled(shown: string): void {
    const folder = installedFolders.find((name) => `/${shown}`.includes(`/${name}/`));
    if (folder !== undefined) this.#installed.set(folder, (this.#installed.get(folder) ?? 0) + 1);
  }

  noteUnheeded(entry: SkippedEntry): void {
    if (this.#unheeded.length < maxNamed) this.#unheeded.push(entry);
  }

  /** The outcome, for the answer. */
  get result(): ImportOutcome {
    const { created, unchanged } = this.#tally;
    const outcome = { created, unchanged, skipped: [...this.#skipped.values()], seconds: this.#seconds };
    return {
      ...outcome,
      ...(this.#notNamed > 0 && { skipped_not_named: this.#notNamed }),
      ...(this.#unheeded.length > 0 && { unheeded: this.#unheeded }),
      ...(this.#preview !== undefined && { dry_run: true as const, would_create: this.#wouldCreate }),
      ...(this.#preview !== undefined &&
        created > this.#wouldCreate.length && { would_create_not_named: created - this.#wouldCreate.length }),
      ...(this.#installed.size > 0 && { installed: Object.fromEntries(this.#installed) }),
    };
  }

  get changed(): { updated: number; deleted: number } {
    const { updated, deleted } = this.#tally;
    return { updated, deleted };
  }

  /** @throws Refusal CONFLICT `stopped` */
  requireGoingOn(): void {
    const { signal } = this.context;
    if (signal.aborted) throw conflict('stopped', 'The import was stopped. Run it again, and it goes on where it was.');
  }

  /**
   * Reports the progress, a few times a second.
   * @param counted the count so far, while entries are counted before the import
   */
  async reportProgress(counted?: number): Promise<void> {
    const now = this.context.host.clock.now();
    if (now - this.#told < reportEvery) return;
    this.#told = now;
    const skipped = this.#skipped.size + this.#notNamed;
    const position = counted === undefined ? this.position : { counted };
    await this.context.onProgress({ ...this.#tally, skipped, seconds: this.#seconds, ...position });
  }

  /** Counts a found file towards the bound. @throws Refusal INVALID_REQUEST `import_too_large` */
  takeIn({ size }: Pick<FoundFile, 'size'>): void {
    this.#found += size;
    if (this.#found > this.#bounds.maxBytes) throw tooManyBytes(this.#bounds.maxBytes);
  }

  /** Whether a file is small enough; else it is skipped. */
  fits({ shown, size }: Pick<FoundFile, 'shown' | 'size'>): boolean {
    if (size <= this.limits.largest) return true;
    const reason = `has ${size} bytes, and the policy allows ${this.limits.largest} (largest_blob)`;
    this.skip({ path: shown, reason });
    return false;
  }

  /** Imports new documents, many by one commit; a document with the same bytes is left alone. */
  async bringIn(found: AsyncIterable<FoundFile> | Iterable<FoundFile>, account: Account): Promise<void> {
    let bringing: Promise<void> = Promise.resolve();
    for await (const batch of this.#gather(this.#takeEach(found))) {
      // The next batch is read while this one is written.
      await bringing;
      this.requireGoingOn();
      bringing = this.#write(batch, account);
      bringing.catch(() => undefined);
      await this.reportProgress();
    }
    await bringing;
  }

  get #seconds(): number {
    return (this.context.host.clock.now() - this.#started) / 1000;
  }

  async *#takeEach(found: AsyncIterable<FoundFile> | Iterable<FoundFile>): AsyncGenerator<FoundFile> {
    for await (const file of found) {
      if (!this.fits(file)) continue;
      this.takeIn(file);
      yield file;
    }
  }

  async *#gather(found: AsyncIterable<FoundFile> | Iterable<FoundFile>): AsyncGenerator<FoundFile[]> {
    let batch: FoundFile[] = [];
    let bytes = 0;
    for await (const file of found) {
      if (!this.fits(file)) continue;
      if (file.size > this.limits.whole) {
        yield [file];
        continue;
      }
      if (batch.length === batchFiles || bytes + file.size > batchBytes) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(file);
      bytes += file.size;
    }
    if (batch.length > 0) yield batch;
  }

  /**
   * Writes a batch by one commit. The policy may have become stricter since the batch was put together. Then the files
   * within the new policy come in, and the rest is skipped.
   */
  async #write(batch: readonly FoundFile[], account: Account): Promise<void> {
    try {
      await this.#send(batch, account);
    } catch (error) {
      const [first, ...others] = batch;
      const reason = error instanceof Refusal ? error.details?.reason : undefined;
      // A file read in pieces stands alone in its batch.
      if (reason === 'source_unreadable' && first !== undefined && others.length === 0) {
        this.skip({ path: first.shown, reason: (error as Refusal).message });
        return;
      }
      if (!(error instanceof Refusal) || reason !== 'content_too_large') throw error;
      const before = this.#limits;
      this.#limits = await readLimits(this.context);
      const isSame = before.whole === this.#limits.whole && before.largest === this.#limits.largest;
      if (!isSame) for await (const part of this.#gather(batch)) await this.#write(part, account);
      else if (others.length > 0) for (const file of batch) await this.#write([file], account);
      else if (first !== undefined) this.skip({ path: first.shown, reason: error.message });
    }
  }

  /** Whether its location is allowed; else it is skipped. */
  #isNameable({ shown, location }: FoundFile): boolean {
    const fault = faultOfNewLocation(location);
    if (fault !== undefined) this.skip({ path: shown, reason: `cannot be a location: it ${fault}` });
    return fault === undefined;
  }

  /** Opens a file. @returns a reason in words where what it holds is no document */
  async open(file: FoundFile): Promise<ContentSource | string> {
    const content = await file.open(this.limits);
    const isPointer = typeof content === 'object' && 'bytes' in content && readLfsPointer(content.bytes) !== undefined;
    return isPointer
      ? 'is a pointer of Git LFS without the content: run `git lfs pull` there, then import the folder'
      : content;
  }

  /** Reads a batch and writes it by one commit. */
  async #send(found: readonly FoundFile[], account: Account): Promise<void> {
    const { into } = this;
    const batch = found.filter((file) => this.#isNameable(file));
    const sources = await Promise.all(batch.map((file) => this.open(file)));
    const files: { location: Location; content: ContentSource }[] = [];
    const shown = new Map<Location, string>();
    for (const [index, file] of batch.entries()) {
      const content = sources[index];
      if (typeof content === 'string') this.skip({ path: file.shown, reason: content });
      else if (content !== undefined) {
        files.push({ location: file.location, content });
        shown.set(file.location, file.shown);
      }
    }
    if (files.length === 0) return;
    const bytes = batch.reduce((sum, { location, size }) => sum + (shown.has(location) ? size : 0), 0);
    const preview = this.#preview;
    const result =
      preview === undefined
        ? await this.context.perform(importDocuments, { into, files, ...account })
        : await this.context.perform(previewImport, { into, files: await measure(files), preview });
    this.#tally.bytes += bytes;
    this.#tally.created += result.created.length;
    if (preview !== undefined) this.#wouldCreate.push(...result.created.slice(0, maxNamed - this.#wouldCreate.length));
    this.#tally.unchanged += result.unchanged.length;
    for (const { location, reason } of result.skipped) {
      this.skip({ path: shown.get(location) ?? location, reason });
    }
  }
}

/** What a dry run has to know of contents. */
async function measure(
  files: readonly { readonly location: Location; readonly content: ContentSource }[],
): Promise<{ location: Location; sha256: string; size: number }[]> {
  const measured: { location: Location; sha256: string; size: number }[] = [];
  for (const { location, content } of files) {
    const hash = createHash('sha256');
    let size = 0;
    for await (const piece of piecesOf(content)) {
      hash.update(piece);
      size += piece.length;
      await yieldToLoop();
    }
    measured.push({ location, sha256: hash.digest('hex'), size });
  }
  return measured;
}

async function* piecesOf(content: ContentSource): AsyncGenerator<Uint8Array> {
  if ('stream' in content) yield* content.stream;
  else if ('bytes' in content) yield content.bytes;
  else yield* content.pieces;
}

async function readLimits(context: WorkspaceContext): Promise<Limits> {
  const { largestText, largestBlob } = await context.perform(showPolicy, {});
  return { whole: Math.min(readWholeUpTo, largestText), largest: largestBlob };
}
