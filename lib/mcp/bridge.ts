import { describeError } from '../domain/describe-error.js';
import type { Readable, Writable } from 'node:stream';
import { BridgedListening, type Deliver, type Message } from './bridge-listening.js';
import { readMessage } from './read-message.js';
import { carrierHeader, keepsSubscriptions, listenMethod, versionKey } from './subscription-terms.js';

export type { Deliver, Delivered } from './bridge-listening.js';

/** Replaces the service's own words, because they name a header that the client's owner never wrote. */
const refusedKey =
  'The key in CARTULARY_KEY was refused. It has to be one minted for MCP, neither revoked nor expired: see cartulary key mint --help.';
/** The answer to `initialize`, as far as the bridge looks into it. */
interface Initialized {
  readonly protocolVersion?: string;
  readonly capabilities?: { readonly resources?: { readonly subscribe?: boolean } };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Header values take no other characters; the protocol has a form for the others. */
function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

/** The revision that a message names; undefined in those of 2025. */
function versionOf(params: Message['params']): string | undefined {
  const version = params?.['_meta']?.[versionKey];
  return isText(version) ? version : undefined;
}

/** The headers that repeat parts of a message; the older revisions have only the first. */
function headersOf({ method, params }: Message, negotiated: string | undefined): Record<string, string> {
  const version = versionOf(params);
  if (version === undefined) {
    return { [carrierHeader]: keepsSubscriptions, ...(negotiated && { 'MCP-Protocol-Version': negotiated }) };
  }
  const name = params?.name ?? params?.uri;
  return {
    'MCP-Protocol-Version': encodeHeader(version),
    ...(isText(method) ? { 'Mcp-Method': encodeHeader(method) } : {}),
    ...(isText(name) ? { 'Mcp-Name': encodeHeader(name) } : {}),
  };
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

  const listening = new BridgedListening({ deliver, write });
  let isKeeping = false;

  /** Answers the messages of 2025 that have no meaning without a memory. @returns undefined for all others */
  function keep({ id, method, params }: Message): Promise<void> | undefined {
    const uri = params?.uri;
    if (!isKeeping || !isText(uri) || id === undefined || versionOf(params) !== undefined) return undefined;
    if (method === 'resources/subscribe') return listening.subscribe(id, uri);
    return method === 'resources/unsubscribe' ? listening.unsubscribe(id, uri) : undefined;
  }

  async function carry(text: string, message: Message): Promise<void> {
    const { id, method, params } = message;
    if (method === 'notifications/cancelled' && listening.cancel(params?.requestId)) return;
    const kept = keep(message);
    if (kept !== undefined) return kept;
    try {
      const headers = headersOf(message, negotiated);
      const isListening = method === listenMethod && id !== undefined;
      const delivered = await (isListening ? listening.carry(id, text, headers) : deliver(text, headers));
      if (delivered === undefined) return;
      const { status, body } = delivered;
      const answer = readMessage(body);
      if (method === 'initialize') {
        const result = answer?.['result'] as Initialized | undefined;
        negotiated = result?.protocolVersion;
        isKeeping = result?.capabilities?.resources?.subscribe === true;
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
  listening.end();
  await Promise.all(underWay);
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;
