import type { SkipReason, SourceFaultClass } from '../domain/connector.js';
import type { Log } from '../domain/log.js';
import type { Clock, Randomness } from '../domain/clock.js';
import { EgressFault } from '../egress/egress-fault.js';

/** A source answered in a way that ends the run. The message says what to do and holds no secret. */
export class SourceFault extends EgressFault {
  override readonly name = 'SourceFault';
  /** Seconds that the source asked to wait. */
  readonly retryAfter: number | undefined;

  constructor(
    fault: SourceFaultClass,
    message: string,
    options: { readonly cause?: unknown; readonly retryAfter?: number } = {},
  ) {
    super(fault, message, { cause: options.cause });
    this.retryAfter = options.retryAfter;
  }
}

/** One file cannot be read. The run goes on without it, and the file stays as it was in the mirror. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly reason: SkipReason;

  constructor(reason: SkipReason, detail: string, cause?: unknown) {
    super(detail, { cause });
    this.reason = reason;
  }
}

/** One file that the source forbids this account to read. Where it forbids every file, the run has failed. */
export class ForbiddenFile extends UnreadableFile {
  constructor(detail: string) {
    super('unreadable', detail);
  }
}

/** A file of the source. Nothing in it has been checked: the sync filters it. */
export interface SourceFile {
  readonly type: 'file';
  /** Below the source's root, with `/` between its segments, and none at its start. */
  readonly path: string;
  /** The source's own id, which the file keeps under another name. Left out where the source has none. */
  readonly id?: string;
  /** Differs from before when the content does: a blob's SHA, an entity tag, size and time. */
  readonly version: string;
  /** Bytes; left out where the listing does not say. */
  readonly size?: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt?: number;
}

/** Something of the source that cannot be a document. */
export interface SkippedEntry {
  readonly type: 'skipped';
  readonly path: string;
  readonly version: string;
  readonly reason: SkipReason;
  readonly detail?: string;
}

/**
 * What lies at this path, a file or a whole folder, cannot be seen now, and may still be there: a folder without the
 * right to list it, or a drive that is not mounted. What was mirrored from it and from below it stays as it was.
 */
export interface UnreadableEntry {
  readonly type: 'unreadable';
  readonly path: string;
  readonly detail: string;
}

/** In a delta: a file that is gone. Named by its id or its path. */
export type RemovedEntry = { readonly type: 'removed' } & (
  { readonly id: string; readonly path?: string } | { readonly path: string; readonly id?: undefined }
);

export type SourceEntry = SourceFile | SkippedEntry | UnreadableEntry | RemovedEntry;

/** What the source holds (`snapshot`), or what has changed since the cursor (`delta`). */
export interface Listing {
  readonly mode: 'snapshot' | 'delta';
  /** In parts of some hundred. It throws where the listing ends too early: a part of a listing deletes nothing. */
  readonly entries: AsyncIterable<readonly SourceEntry[]>;
  /** Where the next run goes on. Called when all entries have been taken. Null where the source knows no such thing. */
  cursor(): string | null;
  /** The source's own word for this state, such as a commit, for people. Called when all entries have been taken. */
  version(): string | null;
}

/** An open connection to a source, for one run. Every method throws SourceFault or EgressFault, and ends soon after `signal` aborts. */
export interface Source {
  /** Tests the connection. @returns one line for people: what was found */
  check(signal: AbortSignal): Promise<string>;
  /** A cheap look. @param cursor of the last run */
  probe(cursor: string, signal: AbortSignal): Promise<'unchanged' | 'maybe_changed'>;
  /** @param cursor of the last run; null for everything. An expired cursor gives a snapshot */
  list(cursor: string | null, signal: AbortSignal): Promise<Listing>;
  /**
   * A file's content, whole and unchanged since it was listed. It may be called for several files at once.
   * @param maxBytes it ends with UnreadableFile `too_large` beyond them
   * @throws UnreadableFile when only this file cannot be read
   */
  read(file: SourceFile, maxBytes: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** What those who run the service let connectors reach. Without a word of theirs: public addresses, and nothing here. */
export interface Allowance {
  /** `host:port` at addresses that are not public. */
  readonly hosts: readonly string[];
  /** Absolute paths of folders on this machine that may be mirrored, with all below. */
  readonly folders: readonly string[];
  /** Outside programs by name: the absolute path of each, and its arguments. */
  readonly programs: Readonly<Record<string, readonly string[]>>;
}

/**
 * What a source remembers between runs and cannot find out again. It stays when the cursor and the caches go, and goes
 * with the settings. Some hundred kilobytes at most.
 */
export interface SourceMemory {
  /** Null for nothing. */
  read(): string | null;
  write(text: string): Promise<void>;
}

/** What a kind of connector may use. */
export interface SourceMeans {
  readonly allowance: Allowance;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** The service's own data, which no connector may read. Null where it has none on this machine. */
  readonly dataFolder: string | null;
  /** A folder of this connector's own, kept between runs. What is in it can be made again. */
  readonly cacheFolder: string;
  readonly memory: SourceMemory;
  /** Entries that one run may list. */
  readonly maxEntries: number;
}

/** A kind of source. */
export interface SourceKind<Settings = unknown> {
  /** JSON Schema of its settings, for the API and the command line. */
  readonly settingsSchema: Readonly<Record<string, unknown>>;
  /** What its secret is, in words such as "a password or token"; null where it has none. */
  readonly secretMeans: string | null;
  /** How many files may be read at once. */
  readonly readsAtOnce: number;
  /** One line for people: what these settings mirror, without a secret. */
  describe(settings: Settings): string;
  /** @throws SourceFault */
  open(settings: Settings, secret: string | null, means: SourceMeans): Promise<Source>;
}
