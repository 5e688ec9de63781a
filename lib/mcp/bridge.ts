import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** What came back for one message. */
export interface Delivered {
  readonly status: number;
  /** A message as JSON, or one event of a stream that holds it; empty where there is none. */
  readonly body: string;
}

/** Carries one message to the service and brings what it says. */
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

/** Said in place of the service's own words, which speak of a header that whoever set up this client never wrote. */
const refusedKey =
  'The key in CARTULARY_KEY was refused. It has to be one minted for MCP, neither revoked nor expired: see cartulary key mint --help.';
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const text = (value: unknown): value is string => typeof value === 'string';

/** Header values take no other characters; the protocol has a form for those. */
function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

/** The headers that say of a message what it says itself; the older revisions have only the first. */
function headersOf({ method, params }: Message, negotiated: string | undefined): Record<string, string> {
  const version = params?.['_meta']?.[versionKey];
  if (!text(version)) return negotiated === undefined ? {} : { 'MCP-Protocol-Version': negotiated };
  const name = params?.name ?? params?.uri;
  return {
    'MCP-Protocol-Version': encodeHeader(version),
    ...(text(method) ? { 'Mcp-Method': encodeHeader(method) } : {}),
    ...(text(name) ? { 'Mcp-Name': encodeHeader(name) } : {}),
  };
}

/** The message in an answer; undefined where there is none. */
function readMessage(body: string): Record<string, unknown> | undefined {
  const line = body.startsWith('{') ? body : /^data: (.*)$/m.exec(body)?.[1];
  return line === undefined ? undefined : (JSON.parse(line) as Record<string, unknown>);
}

/**
 * Speaks MCP over a pair of streams, a message a line, by carrying each message to the service as HTTP would. Several
 * may be under way at once; each answer goes out as it comes. Resolves when the input has ended and all are answered.
 */
export async function bridgeStreams(input: Readable, output: Writable, deliver: Deliver): Promise<void> {
  let negotiated: string | undefined;
  const underWay = new Set<Promise<void>>();
  const write = (message: object): void => void output.write(`${JSON.stringify(message)}\n`);
  const fail = (id: unknown, code: number, message: string): void =>
    write({ jsonrpc: '2.0', id: id ?? null, error: { code, message } });

  async function carry(line: string): Promise<void> {
    let message: Message;
    try {
      message = (JSON.parse(line) ?? {}) as Message;
    } catch {
      fail(null, -32700, 'Parse error: the line is not JSON.');
      return;
    }
    const { id, method } = message;
    try {
      const { status, body } = await deliver(line, headersOf(message, negotiated));
      const answer = readMessage(body);
      if (method === 'initialize') {
        negotiated = (answer?.['result'] as { protocolVersion?: string } | undefined)?.protocolVersion;
      }
      const isNotification = id === undefined && method !== undefined;
      // What is not answered by name, such as a refused key, is answered to the one who asked.
      if (status === 401 && id !== undefined) fail(id, -32000, refusedKey);
      else if (answer !== undefined && !isNotification) write({ ...answer, id: id ?? null });
      else if (answer === undefined && id !== undefined) fail(id, -32000, `The service answered ${status}.`);
    } catch (error) {
      if (id !== undefined) fail(id, -32000, `The service cannot be reached: ${String(error)}`);
    }
  }

  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue;
    const carried = carry(line);
    underWay.add(carried);
    void carried.finally(() => underWay.delete(carried));
    // What comes after may be sent only in the revision that this settles.
    if (negotiated === undefined && line.includes('"initialize"')) await carried;
  }
  await Promise.all(underWay);
}
