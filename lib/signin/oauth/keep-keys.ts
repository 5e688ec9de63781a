import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import type { OAuthDependencies } from './oauth-dependencies.js';
import { signingKeyAge, signingKeyOverlap } from './lifetimes.js';

/** No colon: the text after a colon in a key's purpose is the name of a workspace. */
const signingPrefix = 'oauth_signing/';
const cookiePurpose = 'oauth_cookies';
const clientPurpose = 'oauth_clients';
const second = 1000;

/** The key for the cookies of a sign-in under way; made once. */
export function readCookieKey({ file, clock, randomness }: OAuthDependencies): string {
  const key = file.addKey(cookiePurpose, randomness.bytes(32), clock.now());
  return Buffer.from(key).toString('base64url');
}

/** The key for the ids of registered clients; made once. Without it, every client has to register again. */
export function readClientKey({ file, clock, randomness }: OAuthDependencies): Uint8Array {
  return file.addKey(clientPurpose, randomness.bytes(32), clock.now());
}

/** A private key for ES256 (RFC 7518 §3.4), as JSON. */
function makeSigningKey(): JsonWebKey {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
}

/**
 * The keys for ID tokens, the signing one first. Adds a new one when the newest is too old. Drops a key once its
 * successor is so old that none of its signatures is valid.
 * @param now makes a new key at any age of the newest
 */
export function keepSigningKeys({ file, clock, randomness }: OAuthDependencies, now = false): JsonWebKey[] {
  const at = clock.now();
  const [newest] = file.listKeys(signingPrefix);
  if (newest === undefined || now || newest.createdAt + signingKeyAge * second <= at) {
    const kid = Buffer.from(randomness.bytes(9)).toString('base64url');
    const jwk = { ...makeSigningKey(), kid, alg: 'ES256', use: 'sig' };
    // Two within one millisecond would leave their order to chance.
    const createdAt = Math.max(at, (newest?.createdAt ?? 0) + 1);
    file.addKey(`${signingPrefix}${kid}`, Buffer.from(JSON.stringify(jwk)), createdAt);
  }
  const keys = file.listKeys(signingPrefix);
  const kept = keys.filter((key, index) => {
    const successor = keys[index - 1];
    const isOver = successor !== undefined && successor.createdAt + signingKeyOverlap * second <= at;
    if (isOver) file.removeKey(key.purpose);
    return !isOver;
  });
  return kept.map(({ material }) => JSON.parse(Buffer.from(material).toString()) as JsonWebKey);
}
