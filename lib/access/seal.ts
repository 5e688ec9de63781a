import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Randomness } from '../domain/clock.js';

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
/** Unless the length is named, Node takes shorter tags, and these are easier to guess (NIST SP 800-38D, 5.2.1.2). */
const authTagLength = 16;
const nothing = new Uint8Array();

/**
 * Seals bytes with AES-256-GCM: the nonce, the content, the tag.
 * @param key 32 bytes
 * @param boundTo the same value must be given to open it
 */
export function seal(
  key: Uint8Array,
  content: Uint8Array,
  randomness: Randomness,
  boundTo: Uint8Array = nothing,
): Buffer {
  const nonce = randomness.bytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength });
  cipher.setAAD(boundTo);
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/**
 * The sealed bytes.
 * @throws Error when they were sealed with another key or bound to something else, or were changed
 */
export function unseal(key: Uint8Array, sealed: Uint8Array, boundTo: Uint8Array = nothing): Buffer {
  if (sealed.length < nonceLength + authTagLength) throw new Error('The sealed text is truncated.');
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceLength), { authTagLength });
  decipher.setAAD(boundTo);
  decipher.setAuthTag(sealed.subarray(-authTagLength));
  return Buffer.concat([decipher.update(sealed.subarray(nonceLength, -authTagLength)), decipher.final()]);
}
