import { ConnectionError, foreignAnswer, InvalidRequestError, isRecord } from './errors.js';
import type { AnswerOf, InputOf, Method, OperationOf, PathOf, WriteOptions } from './operations.js';
import type { Prepared, Transport } from './transport.js';

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** The parts of any input, whatever its operation. */
interface AnyInput extends WriteOptions {
  readonly query?: Query;
  readonly path?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Content of a document. A stream is sent once and never again, so a lost answer to it is an error. */
export type Bytes = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array<ArrayBuffer>> | string;

/** A JSON answer. */
export interface Answered<Data> {
  readonly data: Data;
  /** The current version's ETag, where the answer names one. */
  readonly etag: string | undefined;
  /** Whether it is the answer to an earlier request under the same Idempotency-Key. */
  readonly isReplayed: boolean;
}

/** What a request without JSON takes. */
export interface RawInput extends WriteOptions {
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Bytes;
}

/** Operations of a document under If-Match take an Idempotency-Key too, so that their retry gets the first answer. */
const takesKey = (method: string, path: string): boolean =>
  method === 'POST' || (method !== 'GET' && /^\/v1\/(?:documents|files)\//.test(path));

/**
 * Each segment percent-encoded, slashes as they are.
 * @throws InvalidRequestError for a segment that is empty, `.` or `..`: `fetch` walks along those before it sends, and
 * would leave the documents. Escaped dots are walked along as well.
 */
export function encodeLocation(location: string): string {
  if (typeof location !== 'string') throw new InvalidRequestError('The location is no text.');
  return location.split('/').map(encodeSegment).join('/');
}

function encodeSegment(segment: string): string {
  if (segment === '')
    throw new InvalidRequestError('The location has an empty segment (a leading, trailing or doubled slash).');
  return encodePart(segment, 'location');
}

/** @param name for the message */
function encodePart(text: string, name: string): string {
  if (text === '.' || text === '..') throw new InvalidRequestError(`The ${name} has the segment "${text}".`);
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw new InvalidRequestError(`The ${name} is not valid Unicode.`, { cause });
  }
}

/** Percent-encoded as one segment. @throws InvalidRequestError where it is no id */
function encodeId(id: unknown, name: string): string {
  if (typeof id !== 'string' || id === '') throw new InvalidRequestError(`The ${name} is missing.`);
  if (id.includes('/')) throw new InvalidRequestError(`The ${name} has a slash.`);
  return encodePart(id, name);
}

function toQuery(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, typeof value === 'object' ? value.join(',') : String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** Fills `{location}` and `{id}` in. @throws InvalidRequestError */
const fill = (path: string, values: Readonly<Record<string, unknown>> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'location' ? encodeLocation(values[name] as string) : encodeId(values[name], name),
  );

/** Makes requests of the description out of what callers say. */
export class Requests {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Any operation of the description with a JSON answer.
   * @throws ApiError, ConnectionError
   * @example await requests.json('GET', '/v1/history', { query: { location: 'handbook/travel.md' } })
   */
  async json<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    input: InputOf<OperationOf<M, P>>,
    extraTime = 0,
  ): Promise<Answered<AnswerOf<OperationOf<M, P>>>> {
    const { query, path: values, body, ...options } = input as AnyInput;
    const prepared = this.#prepare(method, fill(path, values) + toQuery(query), options, {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    });
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const { response, text } = await this.#transport.sendForText({ ...prepared, ...sent, extraTime });
    return readJson(response, text, prepared.headers['Idempotency-Key']);
  }

  /** Sends bytes, and reads a JSON answer. @throws ApiError, ConnectionError */
  async upload<Data>(
    method: Method,
    path: string,
    { query, headers, body, ...options }: RawInput,
  ): Promise<Answered<Data>> {
    const prepared = this.#prepare(method, path + toQuery(query), options, headers);
    const { response, text } = await this.#transport.sendForText({ ...prepared, body });
    return readJson(response, text, prepared.headers['Idempotency-Key']);
  }

  /** Gives the answer at its beginning; its body is a stream. @throws ApiError, ConnectionError */
  async download(path: string, { query, headers, ...options }: RawInput = {}): Promise<Response> {
    return this.#transport.sendForStream(this.#prepare('GET', path + toQuery(query), options, headers));
  }

  #prepare(
    method: string,
    path: string,
    { idempotencyKey, ifMatch, signal }: WriteOptions,
    headers: Readonly<Record<string, string>> = {},
  ): Prepared {
    const key = takesKey(method, path) ? (idempotencyKey ?? this.#transport.pace.newKey()) : undefined;
    return {
      method,
      path,
      headers: {
        ...headers,
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
        ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
      },
      isRepeatable: method === 'GET' || key !== undefined,
      signal,
    };
  }
}

function readJson<Data>(response: Response, text: string, idempotencyKey: string | undefined): Answered<Data> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new ConnectionError('The answer is no JSON: something else than the service answered.', {
      cause,
      idempotencyKey,
    });
  }
  // Every JSON answer of the description is an object.
  if (!isRecord(data)) throw foreignAnswer(idempotencyKey);
  return {
    data: data as Data,
    etag: response.headers.get('etag') ?? undefined,
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
  };
}
