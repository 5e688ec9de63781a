import { AwsV4Signer } from 'aws4fetch';
import type { Clock } from '../../domain/clock.js';

/** The access key of a store. */
export interface StoreKey {
  readonly id: string;
  readonly secret: string;
  /** Of a key that is lent for some hours. */
  readonly sessionToken?: string;
}

export interface SignerMeans {
  /** Of the bucket, without `/` at its end. */
  readonly root: URL;
  readonly clock: Clock;
  /** Null for requests that are not signed. */
  readonly key: StoreKey | null;
  /** Left out: the one in the address, or us-east-1. */
  readonly region: string | undefined;
}

/**
 * Names and signs all requests to one bucket (AWS Signature Version 4; Amazon S3 API Reference, "Authenticating
 * Requests"). The body is left out of the signature (`UNSIGNED-PAYLOAD`), so that it can be sent while it is read.
 */
export class RequestSigner {
  readonly #means: SignerMeans;
  /** Keys of a day, which the library derives from the secret. */
  readonly #derived = new Map<string, ArrayBuffer>();

  constructor(means: SignerMeans) {
    this.#means = means;
  }

  /** @param key of the object; null for the bucket itself */
  urlOf(key: string | null, query: Readonly<Record<string, string>> = {}): URL {
    const url = new URL(this.#means.root);
    url.pathname =
      key === null
        ? url.pathname === ''
          ? '/'
          : url.pathname
        : `${url.pathname.replace(/\/$/, '')}/${encodeKey(key)}`;
    url.search = Object.entries(query)
      .map(([name, value]) => `${name}=${encodePart(value)}`)
      .join('&');
    return url;
  }

  /** @returns the headers to send */
  async sign(
    method: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>> {
    const { key, region, clock } = this.#means;
    if (key === null) return headers;
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers },
      accessKeyId: key.id,
      secretAccessKey: key.secret,
      ...(key.sessionToken === undefined ? {} : { sessionToken: key.sessionToken }),
      service: 's3',
      ...(region === undefined ? {} : { region }),
      datetime: new Date(clock.now()).toISOString().replace(/[:-]|\.[0-9]{3}/g, ''),
      cache: this.#derived,
    });
    return Object.fromEntries((await signer.sign()).headers.entries());
  }
}

function encodeKey(key: string): string {
  return key.split('/').map(encodePart).join('/');
}

/** As signatures write it: all but letters, digits and `-._~`. */
function encodePart(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}
