import type { HttpAnswer, HttpClient } from '../../egress/http-client.js';
import { RequestSigner, type SignerMeans } from '../../egress/s3/request-signer.js';

interface StoreMeans extends SignerMeans {
  readonly http: HttpClient;
}

interface StoreRequest {
  /** Null for the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Reads from one bucket. */
export class ObjectStore {
  readonly #http: HttpClient;
  readonly #signer: RequestSigner;

  constructor({ http, ...means }: StoreMeans) {
    this.#http = http;
    this.#signer = new RequestSigner(means);
  }

  /** @throws EgressFault when no answer comes */
  async get({ key, query = {}, headers = {}, maxBytes, signal }: StoreRequest): Promise<HttpAnswer> {
    const url = this.#signer.urlOf(key, query);
    const signed = await this.#signer.sign('GET', url, headers);
    return this.#http.request({ method: 'GET', url, headers: signed, maxBytes, signal, isRaw: true });
  }

  close(): void {
    this.#http.close();
  }
}
