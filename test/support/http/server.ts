import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { emptyChain, toRecord } from '../../../lib/audit/chain.js';
import type { ExportedRecord } from '../../../lib/audit/exported-line.js';
import { changePolicy } from '../../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../../lib/operations/perform.js';
import { startServer, type RestServer, type ServerOptions } from '../../../lib/api/rest/server.js';
import { readDescription } from '../../../lib/api/requests/description.js';
import { AnswerChecker } from './check-answer.js';
import { keepLog, type LogLine } from './log.js';
import { openTestService, operator, TestService, type TestServiceOptions } from '../store/service.js';

/** Parsed JSON, whose members a test names as it expects them. */
export type Parsed = ReturnType<typeof JSON.parse>;

/** The answer, already checked against the description. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: Parsed;
  /** `CODE` or `CODE reason` of an error, '' otherwise. */
  readonly refusal: string;
  /** The ETag header. */
  readonly etag: string;
}

export interface Sent {
  readonly headers?: OutgoingHttpHeaders;
  /** An object goes as JSON, bytes go as they are. */
  readonly body?: unknown;
}

const checker = new AnswerChecker(readDescription('openapi.yaml'));

/** Speaks HTTP with one key, or with none. */
export class HttpClient {
  readonly #server: RestServer;
  readonly #agent: Agent;
  readonly #key: string | undefined;
  static #serial = 0;

  constructor(server: RestServer, agent: Agent, key: string | undefined) {
    this.#server = server;
    this.#agent = agent;
    this.#key = key;
  }

  get(target: string, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    return this.send('GET', target, { headers });
  }

  head(target: string, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    return this.send('HEAD', target, { headers });
  }

  /** With an Idempotency-Key of its own unless one is given. */
  post(target: string, body: unknown, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    HttpClient.#serial += 1;
    return this.send('POST', target, { body, headers: { 'Idempotency-Key': `key-${HttpClient.#serial}`, ...headers } });
  }

  put(target: string, body: unknown, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    return this.send('PUT', target, { body, headers: { 'If-Match': '*', ...headers } });
  }

  delete(target: string, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    return this.send('DELETE', target, { headers: { 'If-Match': '*', ...headers } });
  }

  /** Creates a text document. */
  create(location: string, content = 'text', headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    return this.post('/v1/documents', { location, content }, headers);
  }

  /** The target goes out as it is, nothing is normalized. */
  send(method: string, target: string, { headers = {}, body }: Sent = {}): Promise<HttpAnswer> {
    const isRaw = body instanceof Uint8Array || typeof body === 'string';
    const bytes =
      body === undefined ? undefined : isRaw ? Buffer.from(body as Uint8Array) : Buffer.from(JSON.stringify(body));
    const sent: OutgoingHttpHeaders = {
      ...(this.#key === undefined ? {} : { Authorization: `Bearer ${this.#key}` }),
      ...(bytes === undefined ? {} : { 'Content-Type': isRaw ? 'application/octet-stream' : 'application/json' }),
      ...(bytes === undefined ? {} : { 'Content-Length': bytes.length }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const { port } = this.#server;
      const options = { host: '127.0.0.1', port, method, path: target, headers: sent, agent: this.#agent };
      const outgoing = request(options, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          try {
            const answer = {
              status: response.statusCode ?? 0,
              headers: response.headers,
              bytes: decode(response.headers['content-encoding'], Buffer.concat(pieces)),
            };
            checker.check({ method, target, ...answer });
            resolve(makeAnswer(answer));
          } catch (error) {
            reject(error instanceof Error ? error : new Error('The answer cannot be judged.', { cause: error }));
          }
        });
      });
      outgoing.on('error', reject);
      outgoing.end(bytes);
    });
  }
}

/** The body without its content coding. */
export function decode(coding: string | undefined, body: Buffer): Buffer {
  if (coding === undefined || body.length === 0) return body;
  return coding === 'br' ? brotliDecompressSync(body) : gunzipSync(body);
}

export function makeAnswer(answer: Pick<HttpAnswer, 'status' | 'headers' | 'bytes'>): HttpAnswer {
  const text = answer.bytes.toString();
  const isJson = String(answer.headers['content-type']).startsWith('application/json') && text !== '';
  const json = isJson ? JSON.parse(text) : undefined;
  const error = json?.error as { code: string; details?: { reason: string } } | undefined;
  const reason = error?.details?.reason;
  const refusal = error === undefined ? '' : reason === undefined ? error.code : `${error.code} ${reason}`;
  return { ...answer, text, json, refusal, etag: answer.headers.etag ?? '' };
}

/** A service on a free port, with its log. */
export class TestServer {
  readonly host: TestService;
  readonly rest: RestServer;
  readonly log: readonly LogLine[];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });

  constructor(host: TestService, rest: RestServer, log: readonly LogLine[]) {
    this.host = host;
    this.rest = rest;
    this.log = log;
  }

  as(key?: string): HttpClient {
    return new HttpClient(this.rest, this.#agent, key);
  }

  /** A person with one folder grant, as a client. */
  async person(role: 'reader' | 'editor' | 'approver', folder = '', name: string = role): Promise<HttpClient> {
    return this.as((await this.host.person(role, folder, name)).key);
  }

  /**
   * A fresh workspace of the same service, for tests that would otherwise each wait for a server of their own. It ends
   * with this server, not by itself.
   */
  async addWorkspace(): Promise<TestServer> {
    const { service, clock, dataFolder } = this.host;
    const workspace = await service.addWorkspace(`other-${service.names().length}`);
    await perform(workspace, operator, changePolicy, { requestsPerMinute: 1_000_000, burst: 1_000_000 });
    return new TestServer(new TestService(service, workspace, clock, dataFolder), this.rest, this.log);
  }

  /** The newest commit: a request without a change must not move it. */
  get head(): string | null {
    return this.host.workspace.journal.state.head;
  }

  /** The audit chain with the texts of its commitments. */
  records(): ExportedRecord[] {
    const { audit } = this.host.workspace.journal.reader;
    let { hash } = emptyChain;
    return audit.after(0, Number.MAX_SAFE_INTEGER).map((row) => {
      const record = toRecord(row, hash);
      ({ hash } = record);
      const text = audit.textOf(record.seq);
      return text === undefined ? { record } : { record, text };
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.rest.close(1000);
    await this.host.close();
  }
}

export interface TestServerOptions extends TestServiceOptions {
  readonly server?: Partial<
    Pick<ServerOptions, 'corsOrigins' | 'trustProxy' | 'validateResponses' | 'base' | 'publicUrl' | 'observer'>
  >;
}

export async function openTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  return serveTestService(await openTestService(options), options.server);
}

/** Opens a port for an open service, too; it ends with the server. */
export async function serveTestService(
  host: TestService,
  options: TestServerOptions['server'] = {},
): Promise<TestServer> {
  const lines: LogLine[] = [];
  const rest = await startServer(host.service, {
    host: '127.0.0.1',
    port: 0,
    build: { version: '0.0.0', commit: null },
    log: keepLog(lines),
    trustProxy: 0,
    corsOrigins: [],
    validateResponses: true,
    ...options,
  });
  return new TestServer(host, rest, lines);
}
