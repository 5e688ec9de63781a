import type { components } from './described.js';
import { ApiError, foreignAnswer, type DetailsOfReason } from './errors.js';
import type { RequestOptions, WriteOptions } from './operations.js';
import { encodeLocation, type Bytes, type Requests } from './requests.js';

type Schemas = components['schemas'];
export type DocumentRecord = Schemas['Document'];
export type DeletedDocument = Schemas['DeletedDocument'];

/** What an update may say beside the content. */
export interface UpdateOptions extends WriteOptions {
  /** A note on the version. */
  readonly message?: string | undefined;
  readonly mediaType?: string | undefined;
}

/** A document as it was read or written. Its writes name this version, and are refused where there is a newer one. */
export class Document {
  readonly #requests: Requests;
  /** Everything that the service says about it. */
  readonly record: DocumentRecord;
  /** The version that this is. */
  readonly etag: string;
  /** Its text; undefined for bytes, and where it was not read. */
  readonly text: string | undefined;

  constructor(requests: Requests, record: DocumentRecord, etag: string, text?: string) {
    this.#requests = requests;
    this.record = record;
    this.etag = etag;
    this.text = text;
  }

  get location(): string {
    return this.record.location;
  }

  /**
   * Adds a version, if this one is still the current one.
   * @returns the document with the new version, for the next update
   * @throws StaleVersionError with the version that came between; ApiError, ConnectionError
   */
  async update(content: Bytes, options: UpdateOptions = {}): Promise<Document> {
    const path = `/v1/files/${encodeLocation(this.location)}`;
    const { message, mediaType, ...rest } = options;
    const { data, etag } = await this.#whileCurrent(rest, (checked) =>
      this.#requests.upload<DocumentRecord>('PUT', path, {
        ...checked,
        query: { message },
        headers: { 'Content-Type': mediaType ?? 'application/octet-stream' },
        body: content,
      }),
    );
    requireDocument(data);
    return new Document(this.#requests, data, etag ?? data.etag, typeof content === 'string' ? content : undefined);
  }

  /** Hides it, if this version is still the current one. It can be brought back. @throws as `update` */
  async delete(options: WriteOptions = {}): Promise<DeletedDocument> {
    const path = { location: this.location };
    const { data } = await this.#whileCurrent(options, (checked) =>
      this.#requests.json('DELETE', '/v1/documents/{location}', { path, ...checked }),
    );
    return data;
  }

  /** The document as it is now. @throws ApiError NOT_FOUND where it is gone; ConnectionError */
  reread(options: RequestOptions = {}): Promise<Document> {
    return readDocument(this.#requests, this.location, options);
  }

  async #whileCurrent<Result>(
    options: WriteOptions,
    write: (options: WriteOptions) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await write({ ...options, ifMatch: options.ifMatch ?? this.etag });
    } catch (error) {
      if (!(error instanceof ApiError) || !error.is('stale_if_match')) throw error;
      // The conflict is the answer, whether or not the newer version can be read.
      const current = await this.reread({ signal: options.signal }).catch(() => undefined);
      throw new StaleVersionError(error, current);
    }
  }
}

/** Another writer has changed the document since it was read. Nothing was overwritten. */
export class StaleVersionError extends ApiError {
  override readonly name = 'StaleVersionError';
  declare readonly details: DetailsOfReason<'stale_if_match'>;
  /** The version that came between; undefined where it could not be read. */
  readonly current: Document | undefined;

  constructor(error: ApiError, current: Document | undefined) {
    super(error);
    this.message = error.message;
    this.current = current;
  }
}

/**
 * Reads a document with its text.
 * @param options `version` names an older version, which can be shown but not updated
 * @throws ApiError, ConnectionError
 */
export async function readDocument(
  requests: Requests,
  location: string,
  { version, signal }: RequestOptions & { readonly version?: string | undefined } = {},
): Promise<Document> {
  const query = version === undefined ? {} : { version };
  const { data, etag } = await requests.json('GET', '/v1/documents/{location}', { path: { location }, query, signal });
  const { content, encoding, ...record } = data;
  requireDocument(record);
  return new Document(requests, record, etag ?? record.etag, encoding === 'utf-8' ? content : undefined);
}

/** @throws ConnectionError where it is no document, as of something else than the service */
export function requireDocument(record: DocumentRecord): void {
  const { location, etag } = record as { readonly location: unknown; readonly etag: unknown };
  if (typeof location !== 'string' || typeof etag !== 'string') throw foreignAnswer();
}
