import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Randomness } from '../domain/clock.js';

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
/** Node takes shorter tags, which are easier to guess, unless the length is named (NIST SP 800-38D, 5.2.1.2). */
const authTagLength = 16;
const nothing = new Uint8Array();

/**
 * Seals bytes with AES-256-GCM: the nonce, the content, the tag.
 * @param key 32 bytes
 * @param boundTo it opens with the same only
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

/** What was sealed. @throws Error when it was sealed with another key or bound to something else, or was changed */
export function unseal(key: Uint8Array, sealed: Uint8Array, boundTo: Uint8Array = nothing): Buffer {
  if (sealed.length < nonceLength + authTagLength) throw new Error('What was sealed is cut short.');
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceLength), { authTagLength });
  decipher.setAAD(boundTo);
  decipher.setAuthTag(sealed.subarray(-authTagLength));
  return Buffer.concat([decipher.update(sealed.subarray(nonceLength, -authTagLength)), decipher.final()]);
}
