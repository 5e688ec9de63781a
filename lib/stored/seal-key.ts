import type { Randomness } from '../domain/clock.js';
import { openWith, SealBroken, sealTo, type OpenedWith, type SealedTo } from '../sealing/seal-to.js';

/** Which key it is. */
export interface KeyPlace {
  readonly shard: string;
  readonly generation: number;
}

const keyLength = 32;

/**
 * Seals the key of a generation to the operator, for the bucket.
 * @returns an age file in armor
 */
export function sealKey(
  key: Uint8Array,
  { shard, generation, to }: KeyPlace & { readonly to: SealedTo },
  randomness: Randomness,
): Promise<string> {
  return sealTo(
    JSON.stringify({ format: 1, shard, generation, key: Buffer.from(key).toString('base64') }),
    to,
    randomness,
  );
}

/**
 * Opens a sealed key.
 * @throws SealBroken, whose message is a sentence, where it does not open or is that of another shard or generation
 */
export async function openKey(
  text: string,
  { shard, generation, with: held }: KeyPlace & { readonly with: OpenedWith },
): Promise<Uint8Array> {
  const named = `The key of ${shard}, generation ${generation},`;
  const opened = await openWith(text, held).catch((error: unknown) => {
    throw error instanceof SealBroken ? new SealBroken(`${named} ${error.message}.`) : error;
  });
  const { format, shard: sealedShard, generation: sealedGeneration, key: written } = readJson(opened);
  if (format !== 1) throw new SealBroken(`${named} is not of a form that this release knows.`);
  if (sealedShard !== shard || sealedGeneration !== generation)
    throw new SealBroken(`${named} is that of another one. Somebody put it in its place.`);
  const key = typeof written === 'string' ? Buffer.from(written, 'base64') : Buffer.alloc(0);
  if (key.length !== keyLength) throw new SealBroken(`${named} is not whole.`);
  return new Uint8Array(key);
}

function readJson(text: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
