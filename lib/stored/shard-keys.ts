import { join } from 'node:path';
import { closeToOthers } from '../disk/close-to-others.js';
import { openRegular, readUpTo } from '../disk/open-regular.js';
import type { Randomness } from '../domain/clock.js';
import { finishReplacing, replaceSecret } from './replace-secret.js';

/** A key of a shard. */
export interface ShardKey {
  readonly generation: number;
  readonly key: Uint8Array;
}

interface Shard {
  /** The highest generation that there ever was, so that none is given out twice. */
  readonly last: number;
  readonly keys: ReadonlyMap<number, Buffer>;
}

type Shards = ReadonlyMap<string, Shard>;

/** The file of the keys does not hold what it should. */
export class ShardKeysUnreadable extends Error {
  override readonly name = 'ShardKeysUnreadable';
}

const keyLength = 32;
/** Bytes of the file. */
const most = 64 * 1024 * 1024;

/**
 * The keys of this machine's shards, by their generations, in one file that this account alone can read. Changes are in
 * turn, and durable when they resolve. Keys are handed out as copies.
 */
export class ShardKeys {
  readonly #file: string;
  readonly #randomness: Randomness;
  #shards: Shards;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(file: string, randomness: Randomness, shards: Shards) {
    this.#file = file;
    this.#randomness = randomness;
    this.#shards = shards;
  }

  /**
   * Opens the keys in a folder, which is made where it is missing and closed to other accounts.
   * @throws ShardKeysUnreadable; the system's error
   */
  static async open(folder: string, randomness: Randomness): Promise<ShardKeys> {
    await closeToOthers(folder);
    const file = join(folder, 'keys.json');
    await finishReplacing(file);
    return new ShardKeys(file, randomness, await readShards(file));
  }

  /** The key with which objects are sealed now; undefined where the shard has none. */
  current(shard: string): ShardKey | undefined {
    const generation = this.generations(shard).at(-1);
    const key = generation === undefined ? undefined : this.find(shard, generation);
    return generation === undefined || key === undefined ? undefined : { generation, key };
  }

  find(shard: string, generation: number): Uint8Array | undefined {
    const key = this.#shards.get(shard)?.keys.get(generation);
    return key === undefined ? undefined : Uint8Array.from(key);
  }

  /** Those whose keys are there, ascending. */
  generations(shard: string): readonly number[] {
    return [...(this.#shards.get(shard)?.keys.keys() ?? [])].sort((one, other) => one - other);
  }

  /** The shards that have a key, by name. */
  shards(): readonly string[] {
    return [...this.#shards].flatMap(([shard, { keys }]) => (keys.size > 0 ? [shard] : [])).sort();
  }

  /** Makes the next generation. @throws the system's error */
  add(shard: string): Promise<ShardKey> {
    return this.#inTurn(async () => {
      const { last, keys } = this.#shards.get(shard) ?? { last: 0, keys: new Map<number, Buffer>() };
      const generation = last + 1;
      const key = Buffer.from(this.#randomness.bytes(keyLength));
      await this.#store(shard, { last: generation, keys: new Map([...keys, [generation, key]]) });
      return { generation, key: Uint8Array.from(key) };
    });
  }

  /**
   * Takes up a key from elsewhere, for a folder that is restored.
   * @throws Error where the shard has another key of that generation; the system's error
   */
  take(shard: string, generation: number, key: Uint8Array): Promise<void> {
    return this.#inTurn(async () => {
      if (!Number.isSafeInteger(generation) || generation < 1 || key.length !== keyLength)
        throw new Error('A key of a shard has a generation from 1, and 32 bytes.');
      const { last, keys } = this.#shards.get(shard) ?? { last: 0, keys: new Map<number, Buffer>() };
      const known = keys.get(generation);
      if (known?.equals(key) === true) return;
      if (known !== undefined) throw new Error(`There is another key of ${shard}, generation ${generation}.`);
      const taken = new Map([...keys, [generation, Buffer.from(key)]]);
      await this.#store(shard, { last: Math.max(last, generation), keys: taken });
    });
  }

  /**
   * Destroys a key: when this resolves, no file of this folder holds it, and the bytes of those that did are
   * overwritten. No error where it is not there.
   * @throws the system's error
   */
  destroy(shard: string, generation: number): Promise<void> {
    return this.#inTurn(async () => {
      const found = this.#shards.get(shard);
      const key = found?.keys.get(generation);
      if (found === undefined || key === undefined) return;
      const left = new Map([...found.keys].filter(([each]) => each !== generation));
      await this.#store(shard, { last: found.last, keys: left });
      key.fill(0);
    });
  }

  async #store(shard: string, changed: Shard): Promise<void> {
    const shards = new Map([...this.#shards, [shard, changed]]);
    await replaceSecret(this.#file, writeShards(shards));
    this.#shards = shards;
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#turn;
    const own = before.then(work);
    this.#turn = own.catch(() => undefined);
    return own;
  }
}

function writeShards(shards: Shards): string {
  const written = Array.from(shards, ([shard, { last, keys }]) => [
    shard,
    { last, keys: Object.fromEntries(Array.from(keys, ([generation, key]) => [generation, key.toString('base64')])) },
  ]);
  return `${JSON.stringify({ format: 1, shards: Object.fromEntries(written) as unknown }, null, 1)}\n`;
}

async function readShards(file: string): Promise<Shards> {
  const text = await readText(file);
  if (text === undefined) return new Map();
  try {
    const { format, shards } = requireRecord(JSON.parse(text));
    if (format !== 1) throw new Error('another format');
    return new Map(Object.entries(requireRecord(shards)).map(([shard, written]) => [shard, readShard(written)]));
  } catch {
    // The cause would quote the file.
    throw new ShardKeysUnreadable(
      `${file} is damaged, or of a newer release. Put it back from a copy, or restore it from the bucket.`,
    );
  }
}

function readShard(written: unknown): Shard {
  const { last, keys } = requireRecord(written);
  if (typeof last !== 'number' || !Number.isSafeInteger(last)) throw new Error('no number');
  const read = Object.entries(requireRecord(keys)).map(([generation, text]) => {
    const key = Buffer.from(typeof text === 'string' ? text : '', 'base64');
    const number = Number(generation);
    if (key.length !== keyLength || !Number.isSafeInteger(number) || number < 1 || number > last)
      throw new Error('no key');
    return [number, key] as const;
  });
  return { last, keys: new Map(read) };
}

function requireRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no record');
  return value as Record<string, unknown>;
}

async function readText(file: string): Promise<string | undefined> {
  try {
    const handle = await openRegular(file, 'refused');
    try {
      const bytes = await readUpTo(handle, most);
      if (bytes === undefined) throw new ShardKeysUnreadable(`${file} is too large to be the file of the keys.`);
      return bytes.toString('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
