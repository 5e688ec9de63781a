import { lookup as lookUpName, type LookupAddress, type LookupOptions } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { readDocument, type ClientMetadata } from './client-metadata.js';
import { isPublicAddress } from './public-address.js';

export interface FetchOptions {
  /** The allowed addresses; those of the open internet when left out. */
  readonly allows?: (address: string) => boolean;
  /** A certificate authority to trust as well, in PEM. */
  readonly ca?: string | undefined;
}

/** The form of oidc-provider's call: `fetch` of the Fetch standard, as far as needed. */
export type FetchDocument = (url: string | URL, options?: { signal?: AbortSignal | null }) => Promise<Response>;

/** Bytes of a metadata document (draft-ietf-oauth-client-id-metadata-document §6.6 advises 5 kB). */
const longest = 5 * 1024;
const timeout = 2500;

/**
 * Makes the fetcher for clients' metadata documents, whose addresses a stranger chooses. It allows only https, and only
 * addresses of the open internet. The check belongs to the connection's own name look-up, so a second answer of the
 * name service changes nothing. Redirects are not followed.
 */
export function makeDocumentFetcher({ allows = isPublicAddress, ca }: FetchOptions = {}): FetchDocument {
  return (url, options) =>
    new Promise((resolve, reject) => {
      const target = new URL(url);
      const host = target.hostname.replace(/^\[|\]$/g, '');
      if (target.protocol !== 'https:') throw new Error('Only https is fetched.');
      if (isIP(host) !== 0 && !allows(host)) throw new Error('The address is not one of the open internet.');
      const signal = AbortSignal.any([AbortSignal.timeout(timeout), ...(options?.signal ? [options.signal] : [])]);
      const headers = { accept: 'application/json' };
      const lookup = makeLookup(allows);
      const outgoing = request(target, { agent: false, signal, headers, lookup, ca }, (response) => {
        const pieces: Buffer[] = [];
        let length = 0;
        response.on('data', (piece: Buffer) => {
          length += piece.length;
          pieces.push(piece);
          if (length > longest) response.destroy(new Error('The document is too long.'));
        });
        response.on('error', reject);
        response.on('end', () => {
          try {
            resolve(present(response, Buffer.concat(pieces).toString()));
          } catch (error) {
            reject(error instanceof Error ? error : new Error('It is no description.', { cause: error }));
          }
        });
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
}

/** @throws RefusedMetadata, Error when it is no description of a client */
function present({ statusCode, headers }: IncomingMessage, text: string): Response {
  // A status without a body in the Fetch standard would not even fit into a Response.
  if (statusCode !== 200) return new Response('', { status: 502 });
  const caching = headers['cache-control'];
  return new Response(complete(text), { headers: caching === undefined ? {} : { 'cache-control': caching } });
}

/** @throws RefusedMetadata, Error when it is no description of a client */
function complete(text: string): string {
  const document: unknown = JSON.parse(text);
  if (typeof document !== 'object' || document === null || Array.isArray(document)) throw new Error('It is no object.');
  return JSON.stringify(readDocument(document as ClientMetadata));
}

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Resolves a name, and finds only allowed addresses. */
function makeLookup(allows: (address: string) => boolean) {
  return (name: string, options: LookupOptions, found: Found): void => {
    lookUpName(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return found(error, []);
      const allowed = addresses.filter(({ address }) => allows(address));
      const [first] = allowed;
      if (first === undefined || allowed.length < addresses.length) {
        return found(new Error('The name leads to an address that is not one of the open internet.'), []);
      }
      return options.all === true ? found(null, allowed) : found(null, first.address, first.family);
    });
  };
}
