import { createHash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Randomness } from '../domain/clock.js';
import { invalidRequest } from '../domain/refusal.js';
import { encodeBase32 } from '../domain/identifier.js';

/** The parts of `ck_<workspace>_<id>_<secret><checksum>`, as it is shown once. */
export interface KeyText {
  readonly workspace: string;
  readonly credentialId: string;
  readonly secret: string;
}

const secretLength = 52;
const checksumLength = 7;
const keyPattern = /^ck_([a-z0-9][a-z0-9-]{0,38})_([0-9a-z]{16})_([0-9a-z]{52})([0-9a-z]{7})$/;

/** Names that fit a key and a folder. */
export const workspaceNamePattern = /^[a-z0-9][a-z0-9-]{0,38}$/;

/** @throws Refusal INVALID_REQUEST for a name that is none */
export function requireWorkspaceName(name: string): void {
  if (workspaceNamePattern.test(name)) return;
  throw invalidRequest('bad_field', 'A workspace name is 1 to 39 of a-z 0-9 and -, not starting with -.', {
    field: 'workspace',
  });
}

function checksumOf(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return encodeBase32(bytes);
}

/** A new secret of 256 bits. */
export function makeSecret(randomness: Randomness): string {
  return encodeBase32(randomness.bytes(32)).slice(0, secretLength);
}

/** A new credential id of 80 bits. */
export function makeCredentialId(randomness: Randomness): string {
  return encodeBase32(randomness.bytes(10));
}

/** The text of a new key. By the checksum, a scanner distinguishes a leaked key from a look-alike without a request. */
export function formatKey(key: KeyText): string {
  const body = `ck_${key.workspace}_${key.credentialId}_${key.secret}`;
  return body + checksumOf(body);
}

/** Reads a key; undefined when it is not of our form or its checksum is off. */
export function parseKey(text: string): KeyText | undefined {
  const match = keyPattern.exec(text);
  if (match === null) return undefined;
  const [, workspace = '', credentialId = '', secret = '', checksum = ''] = match;
  if (checksumOf(text.slice(0, -checksumLength)) !== checksum) return undefined;
  return { workspace, credentialId, secret };
}

/** The stored form of a secret. A plain hash is enough: the secret has 256 random bits. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Compares in constant time. */
export function secretMatches(secret: string, hash: Uint8Array): boolean {
  const own = hashSecret(secret);
  return hash.length === own.length && timingSafeEqual(own, hash);
}
