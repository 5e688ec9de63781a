import { describeError } from '../domain/describe-error.js';
import type { Readable, Writable } from 'node:stream';

/** The answer to one message. */
export interface Delivered {
  readonly status: number;
  /** A message as JSON, or one event of a stream with it; empty where there is none. */
  readonly body: string;
}

/** Carries one message to the service and returns its answer. */
export type Deliver = (body: string, headers: Readonly<Record<string, string>>) => Promise<Delivered>;

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

/** Replaces the service's own words, because they name a header that the client's owner never wrote. */
const refusedKey =
  'The key in CARTULARY_KEY was refused. It has to be one minted for MCP, neither revoked nor expired: see cartulary key mint --help.';
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const isText = (value: unknown): value is string => typeof value === 'string';

/** Header values take no other characters; the protocol has a form for the others. */
function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

/** The headers that repeat parts of a message; the older revisions have only the first. */
function headersOf({ method, params }: Message, negotiated: string | undefined): Record<string, string> {
  const version = params?.['_meta']?.[versionKey];
  if (!isText(version)) return negotiated === undefined ? {} : { 'MCP-Protocol-Version': negotiated };
  const name = params?.name ?? params?.uri;
  return {
    'MCP-Protocol-Version': encodeHeader(version),
    ...(isText(method) ? { 'Mcp-Method': encodeHeader(method) } : {}),
    ...(isText(name) ? { 'Mcp-Name': encodeHeader(name) } : {}),
  };
}

/** The message in an answer; undefined where there is none, such as when another program answers at the address. */
function readMessage(body: string): Record<string, unknown> | undefined {
  // A line ends at CR or LF. The other line ends of Unicode can stand in text (WHATWG HTML §9.2.5).
  const line = body.startsWith('{') ? body : /(?:^|[\r\n])data: ([^\r\n]*)/.exec(body)?.[1];
  if (line === undefined) return undefined;
  try {
    const message = JSON.parse(line) as Record<string, unknown>;
    return message['jsonrpc'] === '2.0' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes of the longest line kept: a longer one is dropped, since messages are smaller on every transport. */
const maxLineLength = 16 * 1024 * 1024;
const lineEnd = 0x0a;

/** The lines of a stream as bytes; undefined for an overlong line. Ends with the input, or when it is destroyed. */
async function* readLines(input: Readable): AsyncGenerator<Buffer | undefined> {
  let pieces: Buffer[] = [];
  let size = 0;
  const take = (): Buffer | undefined => {
    const line = size > maxLineLength ? undefined : Buffer.concat(pieces);
    pieces = [];
    size = 0;
    return line;
  };
  const keep = (piece: Buffer): void => {
    size += piece.length;
    if (size > maxLineLength) pieces = [];
    else pieces.push(piece);
  };
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, start)) {
        keep(chunk.subarray(start, end));
        yield take();
        start = end + 1;
      }
      keep(chunk.subarray(start));
    }
  } catch (error) {
    if (!input.destroyed) throw error;
  }
  if (size > 0) yield take();
}

/** The message in a line; undefined where it has none. */
function parseLine(line: Buffer): { readonly text: string; readonly message: Message } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(line);
    return { text, message: (JSON.parse(text) ?? {}) as Message };
  } catch {
    return undefined;
  }
}

/**
 * Speaks MCP over a pair of streams, a message a line, by carrying each message to the service as HTTP would. Several
 * may be under way at once, and each answer goes out as it comes. Resolves when the input has ended, or the signal has
 * come, and all are answered.
 */
export async function bridgeStreams(
  input: Readable,
  output: Writable,
  deliver: Deliver,
  stopping?: AbortSignal,
): Promise<void> {
  let negotiated: string | undefined;
  const underWay = new Set<Promise<void>>();
  const write = (message: object): void => void output.write(`${JSON.stringify(message)}\n`);
  const fail = (id: unknown, code: number, message: string): void =>
    write({ jsonrpc: '2.0', id: id ?? null, error: { code, message } });

  async function carry(text: string, message: Message): Promise<void> {
    const { id, method } = message;
    try {
      const { status, body } = await deliver(text, headersOf(message, negotiated));
      const answer = readMessage(body);
      if (method === 'initialize') {
        negotiated = (answer?.['result'] as { protocolVersion?: string } | undefined)?.protocolVersion;
      }
      const isNotification = id === undefined && method !== undefined;
      // An answer without an id, such as a refused key's, gets the id of the request.
      if (status === 401 && id !== undefined) fail(id, -32000, refusedKey);
      else if (answer !== undefined && !isNotification) write({ ...answer, id: id ?? null });
      else if (answer === undefined && id !== undefined) {
        fail(id, -32000, `What answers there is no MCP of Cartulary (HTTP ${status}). Check the address.`);
      }
    } catch (error) {
      if (id !== undefined) fail(id, -32000, describeError(error));
    }
  }

  const stop = (): void => void input.destroy();
  stopping?.addEventListener('abort', stop, { once: true });
  if (stopping?.aborted === true) stop();
  for await (const line of readLines(input)) {
    const parsed = line === undefined ? undefined : parseLine(line);
    if (line === undefined) fail(null, -32600, `A message has at most ${maxLineLength} bytes.`);
    else if (line.every(isBlank)) continue;
    else if (parsed === undefined) fail(null, -32700, 'Parse error: the line is not JSON in UTF-8.');
    else {
      const carried = carry(parsed.text, parsed.message);
      underWay.add(carried);
      void carried.finally(() => underWay.delete(carried));
      // Later messages may be sent only in the revision that this answer settles.
      if (negotiated === undefined && parsed.message.method === 'initialize') await carried;
    }
  }
  stopping?.removeEventListener('abort', stop);
  await Promise.all(underWay);
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;
