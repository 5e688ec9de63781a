import type { ReadAccessToken } from '../../../lib/domain/access-token.js';
import type { McpOptions } from '../../../lib/mcp/mcp-dependencies.js';
import { mountMcp } from '../../../lib/mcp/mount-mcp.js';
import type { ToolEntry } from '../../../lib/mcp/tool.js';
import { checkSaid } from './check-said.js';
import { openTestServer, TestServer, type Parsed, type TestServerOptions } from './server.js';
import { keepLog, type LogLine } from './log.js';

export interface McpServerOptions extends TestServerOptions {
  readonly corsOrigins?: readonly string[];
  readonly readAccessToken?: ReadAccessToken;
  readonly tools?: readonly ToolEntry[];
  readonly serve?: NonNullable<McpOptions['serve']>;
  readonly publicUrl?: string;
}

/** A service on a free port with both faces. */
export async function openMcpServer(options: McpServerOptions = {}): Promise<McpTestServer> {
  const server = await openTestServer(options);
  const { rest, host } = server;
  rest.mount(
    mountMcp(host.service, {
      version: '0.0.0',
      log: keepLog(server.log as LogLine[]),
      publicUrl: options.publicUrl ?? rest.url,
      corsOrigins: options.corsOrigins ?? [],
      later: rest.later,
      addressOf: rest.addressOf,
      observer: options.server?.observer,
      readAccessToken: options.readAccessToken,
      serve: options.serve,
      ...(options.tools === undefined ? {} : { tools: options.tools }),
    }),
  );
  return new McpTestServer(server);
}

/** A tool's answer, or its refusal. */
export interface Said {
  /** The `structuredContent`; undefined for a refusal. */
  readonly done: Parsed;
  /** The error of a refusal; undefined otherwise. */
  readonly error: Parsed;
  /** `CODE reason` of a refusal, '' otherwise. */
  readonly refusal: string;
  /** The text for a model. */
  readonly text: string;
}

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Parsed;
}

/** The result in an answer, which is JSON or the one event of a stream. */
export function readResult(text: string): Parsed {
  const data = text.startsWith('{') ? text : (/(?:^|\n)data: ([^\r\n]*)/.exec(text)?.[1] ?? 'null');
  return JSON.parse(data);
}

const revision = '2026-07-28';
const envelope = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Speaks MCP with one key, without a library, so that every byte is visible. */
export class McpClient {
  readonly #url: string;
  readonly #key: string | undefined;
  #serial = 0;

  constructor(url: string, key: string | undefined) {
    this.#url = url;
    this.#key = key;
  }

  /** Sends a body as it is. */
  async post(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Posted> {
    const response = await fetch(`${this.#url}/mcp`, {
      method: 'POST',
      body: body as string,
      headers: {
        ...(this.#key === undefined ? {} : { Authorization: `Bearer ${this.#key}` }),
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
    const text = await response.text();
    const isMessage = text.startsWith('{') || text.includes('data: ');
    return { status: response.status, headers: response.headers, text, json: isMessage ? readResult(text) : undefined };
  }

  /** Sends a request of the present revision. */
  request(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Posted> {
    this.#serial += 1;
    const name = params['name'] ?? params['uri'];
    return this.post(
      JSON.stringify({ jsonrpc: '2.0', id: this.#serial, method, params: { ...params, _meta: envelope } }),
      {
        'MCP-Protocol-Version': revision,
        'Mcp-Method': method,
        ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
      },
    );
  }

  /** Calls a tool. */
  async call(name: string, args: unknown = {}): Promise<Said> {
    const posted = await this.request('tools/call', { name, arguments: args });
    const { result } = posted.json as { result: Parsed };
    if (result === undefined) throw new Error(`No result: ${posted.status} ${posted.text}`);
    const [{ text }] = result.content as [{ text: string }];
    checkSaid(name, result, text);
    const error = result.isError === true ? JSON.parse(text).error : undefined;
    const refusal = error === undefined ? '' : `${error.code} ${error.reason}`;
    return { done: result.structuredContent, error, refusal, text };
  }
}

export class McpTestServer extends TestServer {
  constructor({ host, rest, log }: TestServer) {
    super(host, rest, log);
  }

  client(key?: string): McpClient {
    return new McpClient(this.rest.url, key);
  }

  /** An agent with one folder grant, and its client. */
  async agent(
    role: 'reader' | 'editor' | 'approver',
    folder = '',
    name: string = role,
  ): Promise<{ readonly id: string; readonly key: string; readonly client: McpClient }> {
    const id = await this.host.principal(name, 'agent');
    await this.host.grant(role, { type: 'principal', id }, folder);
    const key = await this.host.key(id, ['mcp']);
    return { id, key, client: this.client(key) };
  }
}
