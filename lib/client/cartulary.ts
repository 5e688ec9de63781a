import type { components } from './described.js';
import { CartularyError } from './errors.js';
import {
  Document,
  readDocument,
  requireDocument,
  StaleVersionError,
  type DocumentRecord,
  type UpdateOptions,
} from './document.js';
import { followChanges, type ChangePage, type FollowOptions } from './follow-changes.js';
import type {
  AnswerOf,
  InputOf,
  ItemOf,
  Method,
  OperationOf,
  PathOf,
  QueryOf,
  RequestOptions,
  WriteOptions,
} from './operations.js';
import { List, type Page } from './pages.js';
import { encodeLocation, Requests, type Answered, type Bytes } from './requests.js';
import { usualPace, type Pace } from './pace.js';
import { Transport } from './transport.js';

type Schemas = components['schemas'];

/** Items of a page, as many as the service gives. */
const longestPage = 200;
/** Attempts of an edit. */
const maxEdits = 10;

export interface CartularyOptions {
  /** The address of the service, with the path that it is below. Left out: `CARTULARY_URL` of the environment. */
  readonly baseUrl?: string | undefined;
  /** An API key. Left out: `CARTULARY_KEY` of the environment. */
  readonly key?: string | undefined;
  /** Left out: the one of Node or the browser. */
  readonly fetch?: typeof fetch | undefined;
  /** Attempts after the first one; 4 when left out. */
  readonly retries?: number | undefined;
  /** Milliseconds for one attempt; 60,000 when left out. */
  readonly timeout?: number | undefined;
  /** Bytes of one answer that is read as a whole; 64 MiB when left out. Streams have no limit. */
  readonly maxAnswer?: number | undefined;
  /** Time and chance, for tests. */
  readonly pace?: Pace | undefined;
}

/** What a new document may say beside its content. */
export interface CreateOptions extends Omit<WriteOptions, 'ifMatch'> {
  readonly message?: string | undefined;
  readonly mediaType?: string | undefined;
}

/** The paths of lists. */
type ListPath = {
  [P in PathOf<'GET'>]: [ItemOf<OperationOf<'GET', P>>] extends [never] ? never : P;
}[PathOf<'GET'>];

/**
 * A key's view of a workspace.
 * @example
 * const cartulary = new Cartulary({ baseUrl: 'https://files.example.org', key });
 * const travel = await cartulary.read('handbook/travel.md');
 * await travel.update(`${travel.text}\nBook trains early.\n`);
 */
export class Cartulary {
  readonly #requests: Requests;

  /** @throws CartularyError where no address or no key is known */
  constructor(options: CartularyOptions = {}) {
    const { retries = 4, timeout = 60_000, maxAnswer = 64 * 1024 * 1024, pace = usualPace } = options;
    const baseUrl = dropSlashes(requireSetting('baseUrl', 'CARTULARY_URL', options.baseUrl));
    if (/[?#]/.test(baseUrl)) throw new CartularyError('The option baseUrl has a query or a fragment.');
    const key = requireSetting('key', 'CARTULARY_KEY', options.key);
    // Called without a receiver: the browser's own does not run as a method of something else.
    const send: typeof fetch = options.fetch ?? ((...sent) => fetch(...sent));
    this.#requests = new Requests(new Transport({ baseUrl, key, fetch: send, retries, timeout, maxAnswer, pace }));
  }

  /**
   * Any operation of the description, with its types.
   * @throws ApiError, ConnectionError; InvalidRequestError where nothing was sent
   * @example await cartulary.request('POST', '/v1/moves', { body: { location: 'a.md', to_folder: 'b' } })
   */
  async request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    input: InputOf<OperationOf<M, P>>,
  ): Promise<AnswerOf<OperationOf<M, P>>> {
    return (await this.requestWithEtag(method, path, input)).data;
  }

  /** The same with the ETag of the answer, and whether it is a replay. @throws ApiError, ConnectionError */
  requestWithEtag<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    input: InputOf<OperationOf<M, P>>,
  ): Promise<Answered<AnswerOf<OperationOf<M, P>>>> {
    return this.#requests.json(method, path, input);
  }

  /**
   * Any list of the description, item by item.
   * @example for await (const grant of cartulary.list('/v1/grants', { scope_type: 'folder', scope_id: 'a' })) …
   */
  list<P extends ListPath>(
    path: P,
    query: Omit<QueryOf<OperationOf<'GET', P>>, 'cursor'>,
    { signal }: RequestOptions = {},
  ): List<ItemOf<OperationOf<'GET', P>>> {
    return new List(async (cursor) => {
      const input = { query: { ...query, ...(cursor === undefined ? {} : { cursor }) }, signal };
      const { data } = await this.#requests.json('GET', path, input);
      return data as unknown as Page<ItemOf<OperationOf<'GET', P>>>;
    });
  }

  /** The documents of a folder, one level; '' for the root. */
  documents(folder: string, options: RequestOptions = {}): List<Schemas['Document']> {
    return this.list('/v1/documents', { location: folder, limit: longestPage }, options);
  }

  /** The folders of a folder, one level; '' for the root. */
  folders(folder: string, options: RequestOptions = {}): List<Schemas['Folder']> {
    return this.list('/v1/folders', { location: folder, limit: longestPage }, options);
  }

  /** What is found in reach, best first. */
  search(
    query: Omit<QueryOf<OperationOf<'GET', '/v1/search'>>, 'cursor'>,
    options: RequestOptions = {},
  ): List<Schemas['SearchHit']> {
    return this.list('/v1/search', query, options);
  }

  /**
   * Lines that hold a text, or fit a pattern, document by document. Where a document has changed between two pages, an
   * item with `changed` says that the rest of it was passed over.
   */
  lines(
    query: Omit<QueryOf<OperationOf<'GET', '/v1/search/lines'>>, 'cursor'>,
    options: RequestOptions = {},
  ): List<Schemas['FoundLine'] | Schemas['PassedDocument']> {
    return this.list('/v1/search/lines', query, options);
  }

  /** A document with its text. @throws ApiError NOT_FOUND, also where it is out of reach; ConnectionError, InvalidRequestError */
  read(location: string, options: RequestOptions & { readonly version?: string | undefined } = {}): Promise<Document> {
    return readDocument(this.#requests, location, options);
  }

  /**
   * Makes a document at a location where none is, with the folders on the way.
   * @throws ApiError CONFLICT `name_taken`; ConnectionError, InvalidRequestError
   */
  async create(location: string, content: Bytes, options: CreateOptions = {}): Promise<Document> {
    const { message, mediaType, ...rest } = options;
    const { data, etag } = await this.#requests.upload<DocumentRecord>('PUT', `/v1/files/${encodeLocation(location)}`, {
      ...rest,
      query: { message },
      headers: { 'If-None-Match': '*', 'Content-Type': mediaType ?? 'application/octet-stream' },
      body: content,
    });
    requireDocument(data);
    return new Document(this.#requests, data, etag ?? data.etag, typeof content === 'string' ? content : undefined);
  }

  /**
   * Changes the text of a document. Where somebody is faster, it is done again with the newer text. Nothing is
   * overwritten.
   * @param change makes the new text from the present one, and may be asked again; the same text writes nothing
   * @throws CartularyError for a document that is not text; StaleVersionError where others are faster ten times
   */
  async edit(
    location: string,
    change: (text: string, document: Document) => string | Promise<string>,
    options: Omit<UpdateOptions, 'idempotencyKey' | 'ifMatch'> = {},
  ): Promise<Document> {
    for (let attempt = 1; ; attempt += 1) {
      const document = await this.read(location, { signal: options.signal });
      if (document.text === undefined) throw new CartularyError(`${location} is not text.`);
      const text = await change(document.text, document);
      if (text === document.text) return document;
      try {
        return await document.update(text, options);
      } catch (error) {
        if (!(error instanceof StaleVersionError) || attempt >= maxEdits) throw error;
      }
    }
  }

  /**
   * Has the text of a file made again that could not be made. Its record says how far it is.
   * @throws ApiError INVALID_REQUEST `no_text` for a document of which no text is made; ConnectionError
   */
  async retryText(location: string, options: Omit<WriteOptions, 'ifMatch'> = {}): Promise<Schemas['TextState']> {
    const { data } = await this.#requests.json('POST', '/v1/texts/{location}', { path: { location }, ...options });
    return data.text;
  }

  /**
   * The bytes of a document as a stream: `response.body`, or `response.blob()`. It begins once and is not begun again
   * where it breaks off.
   * @param options `version` names an older version; `range` is a Range header, such as `bytes=0-99`
   * @throws ApiError, ConnectionError, InvalidRequestError
   */
  async download(
    location: string,
    { version, range, signal }: RequestOptions & { readonly version?: string; readonly range?: string } = {},
  ): Promise<Response> {
    const headers = range === undefined ? {} : { Range: range };
    return this.#requests.download(`/v1/files/${encodeLocation(location)}`, { query: { version }, headers, signal });
  }

  /** A folder as a zip, as a stream. @throws ApiError, ConnectionError */
  exportFolder(location: string, { signal }: RequestOptions = {}): Promise<Response> {
    return this.#requests.download('/v1/folders/export', { query: { location }, signal });
  }

  /**
   * What changes, page by page, for as long as the loop runs.
   * @example for await (const { changes, cursor } of cartulary.changes({ cursor: kept })) { …; keep(cursor); }
   */
  changes(options: FollowOptions = {}): AsyncGenerator<ChangePage, void, undefined> {
    return followChanges(this.#requests, options);
  }
}

/** A setting from the options, or from the environment where there is one. */
function requireSetting(name: string, variable: string, value: string | undefined): string {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const found = value ?? process?.env?.[variable];
  if (found === undefined || found === '')
    throw new CartularyError(`The option ${name} is missing, and ${variable} is not set.`);
  return found;
}

function dropSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
