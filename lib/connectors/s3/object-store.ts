import { AwsV4Signer } from 'aws4fetch';
import type { Clock } from '../../domain/clock.js';
import type { HttpAnswer, HttpClient } from '../../egress/http-client.js';
import { readXml } from '../xml/read-xml.js';
import type { StoreError } from './judge-error.js';

interface StoreMeans {
  /** Of the bucket, without `/` at its end. */
  readonly root: URL;
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Null for requests that are not signed. */
  readonly key: { readonly id: string; readonly secret: string } | null;
  readonly region: string | undefined;
}

interface StoreRequest {
  /** Null for the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const maxError = 64 * 1024;

/** Sends signed requests to one bucket. */
export class ObjectStore {
  readonly #means: StoreMeans;
  /** Keys of a day, which the library derives from the secret. */
  readonly #derived = new Map<string, ArrayBuffer>();

  constructor(means: StoreMeans) {
    this.#means = means;
  }

  /** @throws SourceFault when no answer comes */
  async get({ key, query = {}, headers = {}, maxBytes, signal }: StoreRequest): Promise<HttpAnswer> {
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
    const signed = await this.#sign(url, headers);
    return this.#means.http.request({ method: 'GET', url, headers: signed, maxBytes, signal, isRaw: true });
  }

  close(): void {
    this.#means.http.close();
  }

  async #sign(url: URL, headers: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    const { key, region, clock } = this.#means;
    if (key === null) return headers;
    const signer = new AwsV4Signer({
      method: 'GET',
      url: url.href,
      headers: { ...headers },
      accessKeyId: key.id,
      secretAccessKey: key.secret,
      service: 's3',
      ...(region === undefined ? {} : { region }),
      datetime: new Date(clock.now()).toISOString().replace(/[:-]|\.[0-9]{3}/g, ''),
      cache: this.#derived,
    });
    return Object.fromEntries((await signer.sign()).headers.entries());
  }
}

/** What an answer says is wrong. Its body is read, as far as it is short XML. */
export async function readError(answer: HttpAnswer): Promise<StoreError> {
  const { status } = answer;
  const found = new Map<string, string>();
  try {
    let bytes = 0;
    const short = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of answer.body) {
        bytes += piece.length;
        if (bytes > maxError) return;
        yield piece;
      }
    };
    for await (const elements of readXml(short(), ({ local }) => local === 'Error'))
      for (const { local, text } of elements) found.set(local, text.trim());
  } catch {
    // A gateway between us and the store answers with a page of its own.
  }
  return { status, code: found.get('Code') ?? '', region: found.get('Region'), headers: answer.headers };
}

function encodeKey(key: string): string {
  return key.split('/').map(encodePart).join('/');
}

/** As signatures write it: all but letters, digits and `-._~`. */
function encodePart(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}
