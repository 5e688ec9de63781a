import { Refusal } from '../../domain/refusal.js';
import { findIllFormed } from '../../domain/well-formed.js';
import { isProgramCallback } from './redirect-schemes.js';

/** A client's description of itself, from a registration or a metadata document. */
export type ClientMetadata = Record<string, unknown>;

/** A refused description, in the words of RFC 7591 §3.2.2. */
export class RefusedMetadata extends Refusal {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';

  constructor(error: RefusedMetadata['error'], message: string) {
    super('INVALID_REQUEST', message);
    this.error = error;
  }
}

/** The used fields of a description. RFC 7591 §2 has the others ignored: keys, pictures, addresses to fetch. */
const usedFields = [
  'redirect_uris',
  'client_name',
  'application_type',
  'token_endpoint_auth_method',
  'grant_types',
  'response_types',
  'scope',
] as const;

const maxAddresses = 10;
/** Characters of one address, and of all of them. */
const maxAddressLength = 512;
const maxAddressesLength = 1500;
/** Entries of the other lists. */
const maxEntries = 10;
/** Characters of a value other than an address. */
const maxValueLength = 300;
/** A name is not a place for a message. */
const maxNameLength = 100;

/**
 * Keeps the used fields of a description, within bounds.
 * @throws RefusedMetadata
 */
export function readMetadata(metadata: ClientMetadata): ClientMetadata {
  const kept: ClientMetadata = {};
  for (const field of usedFields) {
    const value = metadata[field];
    if (value === undefined || value === null) continue;
    if (findIllFormed(value) !== undefined) {
      throw new RefusedMetadata('invalid_client_metadata', `${field} holds text that is no Unicode.`);
    }
    if (field === 'redirect_uris') kept[field] = readAddresses(value);
    else if (field === 'client_name') kept[field] = typeof value === 'string' ? cutName(value) : value;
    else kept[field] = keepServed(field, requireShort(field, value));
  }
  return completeClient(kept);
}

/** What is served here. RFC 7591 §2 lets a server replace a client's values, and tell the client in its answer. */
const served: Readonly<Record<string, ReadonlySet<unknown>>> = {
  grant_types: new Set(['authorization_code', 'refresh_token']),
  response_types: new Set(['code']),
};

/** Without what is not served. Where nothing is left, the list stays as it is, so that it is refused by its name. */
function keepServed(field: string, value: unknown): unknown {
  const known = served[field];
  if (known === undefined || !Array.isArray(value)) return value;
  const kept = (value as readonly unknown[]).filter((each) => known.has(each));
  return kept.length === 0 ? value : kept;
}

/** Not within a surrogate pair. */
function cutName(name: string): string {
  const cut = name.slice(0, maxNameLength);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/**
 * Addresses of other schemes are left out, since programs register several and use the accepted one.
 * @throws RefusedMetadata where there are too many, or none is left
 */
function readAddresses(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const addresses = value as readonly unknown[];
  const length = addresses.reduce<number>((sum, each) => sum + String(each).length, 0);
  const isLong = addresses.some((each) => String(each).length > maxAddressLength) || length > maxAddressesLength;
  if (addresses.length > maxAddresses || isLong) {
    throw new RefusedMetadata(
      'invalid_redirect_uri',
      `redirect_uris has at most ${maxAddresses} addresses, of ${maxAddressLength} characters each and ${maxAddressesLength} together.`,
    );
  }
  // A name before the host reads like the host: https://files.example.org@evil.example/.
  if (addresses.some(hasUserInfo)) {
    throw new RefusedMetadata('invalid_redirect_uri', 'A redirect address has no user name and no password.');
  }
  const taken = addresses.filter((each) => typeof each !== 'string' || !URL.canParse(each) || isTaken(each));
  if (taken.length > 0 || addresses.length === 0) return taken;
  throw new RefusedMetadata(
    'invalid_redirect_uri',
    'An answer goes to https, to this machine, or to a program by a scheme that is a domain name backwards (com.example.app:/callback).',
  );
}

function hasUserInfo(uri: unknown): boolean {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return false;
  const { username, password } = new URL(uri);
  return username !== '' || password !== '';
}

/** oidc-provider reports the faults of http and https. */
function isTaken(uri: string): boolean {
  return /^https?:$/.test(new URL(uri).protocol) || isProgramCallback(uri);
}

function requireShort(field: string, value: unknown): unknown {
  const values = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (
    values.length <= maxEntries &&
    values.every((each) => typeof each !== 'string' || each.length <= maxValueLength)
  ) {
    return value;
  }
  throw new RefusedMetadata('invalid_client_metadata', `${field} is too long.`);
}

/**
 * Adds to a description the facts in its addresses. Programs on people's own machines often leave out
 * `application_type`. OpenID Connect then reads `web`, and would refuse them or hold them to one port (RFC 8252 §7.3).
 * A client with any address outside https is native. The rules for native clients apply: http only to this machine, and
 * no scheme run by a browser.
 */
function completeClient(metadata: ClientMetadata): ClientMetadata {
  const { redirect_uris: uris } = metadata;
  const isNative = Array.isArray(uris) && uris.some((uri) => typeof uri === 'string' && !/^https:/i.test(uri));
  return isNative ? { ...metadata, application_type: 'native' } : metadata;
}

/**
 * Reads a client's document. It has no secret; a document that claims one is refused.
 * @throws RefusedMetadata
 */
export function readDocument(document: ClientMetadata): ClientMetadata {
  const { client_id: id, client_secret: secret, client_secret_expires_at: expiry } = document;
  return {
    token_endpoint_auth_method: 'none',
    ...readMetadata(document),
    ...(id === undefined ? {} : { client_id: id }),
    ...(secret === undefined ? {} : { client_secret: secret }),
    ...(expiry === undefined ? {} : { client_secret_expires_at: expiry }),
  };
}
