import { createHash, hkdfSync } from 'node:crypto';
import { seal, unseal } from '../../access/seal.js';
import type { Randomness } from '../../domain/clock.js';

/** The stored form of an id. A plain hash is enough: secret ids have 126 random bits or more. */
export function hashId(kind: string, id: string): Buffer {
  return createHash('sha256').update(`${kind}\0${id}`).digest();
}

function keyOf(kind: string, id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', id, '', `cartulary oauth ${kind}`, 32));
}

/**
 * Seals an id's content with a key from the id alone. The content of a token names the token itself and others that
 * belong to it (RFC 9068's `jti`, addresses to return to). So hashing the id would not be enough.
 */
export function sealEntry(kind: string, id: string, content: unknown, randomness: Randomness): Buffer {
  return seal(keyOf(kind, id), Buffer.from(JSON.stringify(content)), randomness);
}

/** @throws Error when it was not sealed under this id */
export function openEntry(kind: string, id: string, sealed: Uint8Array): unknown {
  return JSON.parse(unseal(keyOf(kind, id), sealed).toString('utf8'));
}
