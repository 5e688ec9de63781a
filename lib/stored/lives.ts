import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatTime, parseTime, type Clock, type Randomness } from '../domain/clock.js';
import { syncPath } from '../disk/sync-path.js';
import type { Abortable, Bucket } from './bucket.js';
import type { Condition } from './probe-bucket.js';
import { formatObjectName } from './object-names.js';

/** A life as the bucket names it. */
export interface Life {
  readonly life: string;
  /** The one that was current before it; null for the first. */
  readonly before: string | null;
  /** From when on it is current, in milliseconds since 1970. */
  readonly since: number;
}

/** What a data folder knows of its lives. */
interface Note {
  /** Address of the bucket, with the prefix: another one knows nothing of this folder. */
  readonly address: string;
  /** The last life of this folder. */
  readonly life: string;
  /** A process can end between this note and the bucket's: then that one is current yet. */
  readonly before: string | null;
}

export interface LivesOptions {
  readonly bucket: Bucket;
  readonly address: string;
  /** The folder for notes of what is followed. */
  readonly folder: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** Another machine has taken over. */
export interface Superseded {
  /** The life that is current now. */
  readonly by: string;
  readonly since: number;
}

const maxBytes = 64 * 1024;
const currentName = formatObjectName({ kind: 'current' });
const lifeName = (life: string): string => formatObjectName({ kind: 'life', life });
const lifePattern = /^[0-9a-f]{32}$/;

/** The bucket holds something else under a name that is ours. */
export class ForeignRecord extends Error {
  override readonly name = 'ForeignRecord';
}

/**
 * Which life of a service is current. Each start of the program is a new life, and names itself in the bucket. A machine
 * that finds another life there has been superseded: both have their own objects, so neither overwrites the other's.
 */
export class Lives {
  readonly #options: LivesOptions;
  #life: string | undefined;

  constructor(options: LivesOptions) {
    this.#options = options;
  }

  /**
   * Begins a new life, if the current one was this folder's.
   * @throws BucketFault; ForeignRecord
   */
  async begin(signal: AbortSignal): Promise<{ readonly life: string } | Superseded> {
    const { bucket, address, folder, clock, randomness } = this.#options;
    const current = await readCurrent(bucket, signal);
    const note = await readNote(folder);
    const isOurs = current === undefined || (note?.address === address && owns(note, current.life));
    if (!isOurs) return { by: current.life, since: current.since };
    const life = Buffer.from(randomness.bytes(16)).toString('hex');
    // The clock can have gone back, and lives have an order.
    const since = Math.max(clock.now(), (current?.since ?? 0) + 1);
    // A bucket that lost the name of the current life may have its objects yet.
    const last = note?.address === address ? note.life : null;
    const begun: Life = { life, before: current?.life ?? last, since };
    await bucket.putBytes(lifeName(life), encodeLife(begun), { signal });
    await writeNote(folder, { address, life, before: begun.before });
    const condition: Condition = current === undefined ? { ifAbsent: true } : { ifMatch: current.etag };
    const put = await putCurrent(bucket, begun, condition, signal);
    if (put === 'refused') {
      const winner = await readCurrent(bucket, signal);
      if (winner !== undefined && winner.life !== life) return { by: winner.life, since: winner.since };
    }
    this.#life = life;
    return { life };
  }

  /** Whether this life is current yet. `absent`: the bucket has lost the name of every life. @throws BucketFault */
  async look(signal: AbortSignal): Promise<'current' | 'absent' | Superseded> {
    const current = await readCurrent(this.#options.bucket, signal);
    if (current === undefined) return 'absent';
    return current.life === this.#life ? 'current' : { by: current.life, since: current.since };
  }

  /**
   * Lets the next start of this folder follow on the life that is current now, whatever it is.
   * @returns that life; undefined where there is none
   */
  async takeOver(signal: AbortSignal): Promise<Life | undefined> {
    const { bucket, address, folder } = this.#options;
    const current = await readCurrent(bucket, signal);
    if (current === undefined) return undefined;
    await writeNote(folder, { address, life: current.life, before: null });
    return current;
  }
}

const owns = (note: Note, life: string): boolean => note.life === life || note.before === life;

/** Uses the store's conditions where it knows them. */
async function putCurrent(
  bucket: Bucket,
  life: Life,
  condition: Condition,
  signal: AbortSignal,
): Promise<'refused' | 'put'> {
  const bytes = encodeLife(life);
  const options: Abortable & Condition = { signal, ...condition };
  const put = await bucket.putBytes(currentName, bytes, options);
  if (put === 'refused') return 'refused';
  if (put === 'unsupported') await bucket.putBytes(currentName, bytes, { signal });
  return 'put';
}

/** The current life, and the tag of its record. @throws BucketFault; ForeignRecord */
export async function readCurrent(
  bucket: Bucket,
  signal: AbortSignal,
): Promise<(Life & { readonly etag: string }) | undefined> {
  const found = await bucket.getBytes(currentName, { maxBytes, signal });
  return found === undefined ? undefined : { ...decodeLife(currentName, found.bytes), etag: found.etag };
}

/** @throws BucketFault; ForeignRecord */
export async function readLife(bucket: Bucket, life: string, signal: AbortSignal): Promise<Life | undefined> {
  const found = await bucket.getBytes(lifeName(life), { maxBytes, signal });
  return found === undefined ? undefined : decodeLife(lifeName(life), found.bytes);
}

/** The current life and those before it, the newest first. @param most how many at the most */
export async function* listLives(bucket: Bucket, signal: AbortSignal, most = 10_000): AsyncGenerator<Life> {
  const seen = new Set<string>();
  for (let life: Life | undefined = await readCurrent(bucket, signal); life !== undefined && seen.size < most;) {
    // A circle would be somebody's joke.
    if (seen.has(life.life)) return;
    seen.add(life.life);
    yield life;
    life = life.before === null ? undefined : await readLife(bucket, life.before, signal);
  }
}

function encodeLife({ life, before, since }: Life): Buffer {
  return Buffer.from(`${JSON.stringify({ format: 1, life, before, since: formatTime(since) })}\n`);
}

function decodeLife(name: string, bytes: Uint8Array): Life {
  const { format, life, before, since } = parse(bytes);
  const at = typeof since === 'string' ? parseTime(since) : undefined;
  const isLife = typeof life === 'string' && lifePattern.test(life);
  const isBefore = before === null || (typeof before === 'string' && lifePattern.test(before));
  if (format === 1 && isLife && isBefore && at !== undefined) return { life, before, since: at };
  throw new ForeignRecord(
    `${name} in the bucket is not of this release. Use a prefix where nothing else writes, or a release that knows it.`,
  );
}

function parse(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const noteFile = (folder: string): string => join(folder, 'life.json');

async function readNote(folder: string): Promise<Note | undefined> {
  const text = await readFile(noteFile(folder)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const { address, life, before } = parse(text);
  // A damaged note owns nothing: the operator decides.
  if (typeof address !== 'string' || typeof life !== 'string') return undefined;
  return { address, life, before: typeof before === 'string' ? before : null };
}

/** Forgets that a folder was ever followed. @returns whether it was */
export async function forgetLife(folder: string): Promise<boolean> {
  const isKnown = existsSync(noteFile(folder));
  await rm(noteFile(folder), { force: true });
  if (isKnown) await syncPath(folder);
  return isKnown;
}

/** Durable when it resolves. */
async function writeNote(folder: string, note: Note): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const made = `${noteFile(folder)}.new`;
  await writeFile(made, `${JSON.stringify(note)}\n`, { mode: 0o600, flush: true });
  await rename(made, noteFile(folder));
  await syncPath(folder);
}
