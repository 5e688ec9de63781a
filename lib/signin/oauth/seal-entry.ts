import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import type { Randomness } from '../../domain/clock.js';

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** What is stored in place of an id. A plain hash is enough: ids that open something have 126 random bits or more. */
export function hashId(kind: string, id: string): Buffer {
  return createHash('sha256').update(`${kind}\0${id}`).digest();
}

function keyOf(kind: string, id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', id, '', `cartulary oauth ${kind}`, 32));
}

/**
 * Seals what is kept under an id with a key that comes from the id alone. The content of a token names the token itself
 * and others that belong to it (RFC 9068's `jti`, addresses to return to), so hashing the id would not be enough.
 */
export function sealEntry(kind: string, id: string, content: unknown, randomness: Randomness): Buffer {
  const nonce = randomness.bytes(nonceLength);
  const cipher = createCipheriv(algorithm, keyOf(kind, id), nonce, { authTagLength: tagLength });
  const sealed = Buffer.concat([cipher.update(JSON.stringify(content), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]);
}

/** @throws Error when it was not sealed under this id */
export function openEntry(kind: string, id: string, sealed: Uint8Array): unknown {
  const bytes = Buffer.from(sealed);
  if (bytes.length < nonceLength + tagLength) throw new Error('A sealed entry is cut short.');
  const nonce = bytes.subarray(0, nonceLength);
  const decipher = createDecipheriv(algorithm, keyOf(kind, id), nonce, { authTagLength: tagLength });
  decipher.setAuthTag(bytes.subarray(-tagLength));
  const content = bytes.subarray(nonceLength, -tagLength);
  return JSON.parse(Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8'));
}
