import { createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Randomness } from '../../domain/clock.js';
import type { ClientMetadata } from './client-metadata.js';

/*
 * The id of a registered client is its registration (RFC 7591 appendix A.5.2): its own words, with proof of
 * registration here. Every stranger may register, so nothing is stored about a client without a consent. A flood of
 * registrations then neither fills anything nor pushes anything out (decision 0105).
 */

/** The content of an id. */
export interface Registration {
  readonly metadata: ClientMetadata;
  /** Of the client's secret, where it has one: the secret itself is in the client's hands alone. */
  readonly secretHash?: string | undefined;
}

const prefix = 'reg_';
const proofLength = 16;
/** Bytes to make two registrations of the same words two clients. */
const nonceLength = 8;
/** Bytes of an opened id. */
const longest = 4096;

/** Common parts of registrations, so their ids are short (RFC 1951). Changing it makes all earlier ids unreadable. */
const dictionary = Buffer.from(
  '"secretHash":"","scope":"org:read org:write openid offline_access","application_type":"web' +
    '"token_endpoint_auth_method":"client_secret_post","token_endpoint_auth_method":"client_secret_basic' +
    '"client_name":"Visual Studio Code Cursor Claude ChatGPT MCP Inspector' +
    '"https://www./oauth/callback"https://claude.ai/api/mcp/auth_callback"https://vscode.dev/redirect' +
    'cursor://anysphere.cursor-mcp/oauth/callback"http://localhost:"http://127.0.0.1:/callback' +
    '"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],' +
    '"application_type":"native"}}{"metadata":{"redirect_uris":["http://127.0.0.1:',
);

/** @param key of the service, so an id can only come from here */
export function makeClientId(registration: Registration, key: Uint8Array, randomness: Randomness): string {
  const packed = deflateRawSync(JSON.stringify(registration), { dictionary, level: 9 });
  const content = Buffer.concat([randomness.bytes(nonceLength), packed]);
  return `${prefix}${Buffer.concat([prove(content, key), content]).toString('base64url')}`;
}

/** @returns undefined for a foreign id */
export function readClientId(id: string, key: Uint8Array): Registration | undefined {
  if (!id.startsWith(prefix) || id.length > longest) return undefined;
  const bytes = Buffer.from(id.slice(prefix.length), 'base64url');
  const content = bytes.subarray(proofLength);
  const proof = bytes.subarray(0, proofLength);
  // Base64 has several spellings of the same bytes; one of them is the id.
  const isWhole = proof.length === proofLength && bytes.toString('base64url') === id.slice(prefix.length);
  if (!isWhole || !timingSafeEqual(proof, prove(content, key))) return undefined;
  const text = inflateRawSync(content.subarray(nonceLength), { dictionary, maxOutputLength: longest });
  return JSON.parse(text.toString()) as Registration;
}

function prove(content: Uint8Array, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update('client:').update(content).digest().subarray(0, proofLength);
}
