import { createCipheriv, createDecipheriv, scrypt, type ScryptOptions } from 'node:crypto';
import type { Randomness } from '../domain/clock.js';

/** Text that only the passphrase opens, with what is needed to open it. */
interface Sealed {
  readonly format: 'cartulary-sealed-1';
  /** scrypt (RFC 7914) makes the key from the passphrase, in NFC. */
  readonly n: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
  /** AES-256-GCM; all base64. */
  readonly nonce: string;
  readonly tag: string;
  readonly data: string;
}

/** It was sealed with another passphrase, belongs to something else, or was changed. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

/** scrypt's N: takes 128 MiB and a good part of a second, once a backup. */
const usualCost = 2 ** 17;
/** What a file may ask for at the most. */
const maxCost = 2 ** 20;
const blockSize = 8;
/** Bytes. Node takes shorter tags, which are quicker to guess, unless the length is named (NIST SP 800-38D, 5.2.1.2). */
const tagLength = 16;

export interface SealOptions {
  readonly passphrase: string;
  /** What it is sealed for: it opens with nothing else. */
  readonly belongsTo: string;
  readonly randomness: Randomness;
  /** scrypt's N, a power of two; the usual one if left out. */
  readonly cost?: number | undefined;
}

/** Seals a text so that only the passphrase opens it, and a change is noticed. */
export async function sealWithPassphrase(text: string, options: SealOptions): Promise<string> {
  const { passphrase, belongsTo, randomness, cost = usualCost } = options;
  const salt = Buffer.from(randomness.bytes(16));
  const nonce = Buffer.from(randomness.bytes(12));
  const key = await deriveKey(passphrase, salt, { N: cost, r: blockSize, p: 1 });
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength });
  cipher.setAAD(Buffer.from(belongsTo));
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const sealed: Sealed = {
    format: 'cartulary-sealed-1',
    n: cost,
    r: blockSize,
    p: 1,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
  return `${JSON.stringify(sealed, null, 2)}\n`;
}

/** Opens what was sealed. @throws SealBroken */
export async function openWithPassphrase(file: string, passphrase: string, belongsTo: string): Promise<string> {
  let sealed: Sealed;
  try {
    sealed = JSON.parse(file) as Sealed;
  } catch {
    throw new SealBroken('is not of a form that this release knows');
  }
  const { format, n, r, p } = sealed;
  const isPowerOfTwo = Number.isSafeInteger(n) && n > 1 && (n & (n - 1)) === 0;
  if (format !== 'cartulary-sealed-1' || !isPowerOfTwo || n > maxCost || r !== blockSize || p !== 1) {
    throw new SealBroken('is not of a form that this release knows');
  }
  try {
    const key = await deriveKey(passphrase, Buffer.from(sealed.salt, 'base64'), { N: n, r, p });
    const nonce = Buffer.from(sealed.nonce, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength });
    decipher.setAAD(Buffer.from(belongsTo));
    decipher.setAuthTag(Buffer.from(sealed.tag, 'base64'));
    return Buffer.concat([decipher.update(Buffer.from(sealed.data, 'base64')), decipher.final()]).toString('utf8');
  } catch {
    throw new SealBroken('does not open: the passphrase is another one, or it or the manifest was changed');
  }
}

function deriveKey(passphrase: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  const maxmem = 256 * (cost.N ?? 1) * blockSize;
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, 32, { ...cost, maxmem }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
