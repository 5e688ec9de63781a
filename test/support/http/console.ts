import { request, type OutgoingHttpHeaders } from 'node:http';
import { mountConsole } from '../../../lib/console/mount-console.js';
import { readConsoleDescription } from '../../../lib/console/console-description.js';
import { issueLink } from '../../../lib/operations/principals/manage-sign-in.js';
import { perform } from '../../../lib/operations/perform.js';
import { createSignIn, type SignIn } from '../../../lib/signin/sign-in.js';
import { operator } from '../store/service.js';
import { AnswerChecker } from './check-answer.js';
import { keepLog, type LogLine } from './log.js';
import {
  makeAnswer,
  openTestServer,
  type HttpAnswer,
  type Sent,
  type TestServer,
  type TestServerOptions,
} from './server.js';

const checker = new AnswerChecker(readConsoleDescription());
/** What a browser adds to the requests of the console's own pages, and what these pages add themselves. */
export const fromOurPage: OutgoingHttpHeaders = { 'Sec-Fetch-Site': 'same-origin', 'X-Cartulary-Console': '1' };

/** A signed-in person as the console's pages speak for them, in one workspace. */
export class ConsoleClient {
  readonly principalId: string;
  readonly cookie: string;
  readonly workspace: string;
  readonly #server: TestServer;
  static #serial = 0;

  constructor(server: TestServer, principalId: string, cookie: string, workspace = 'acme') {
    this.#server = server;
    this.principalId = principalId;
    this.cookie = cookie;
    this.workspace = workspace;
  }

  /** The same session in another workspace. */
  in(workspace: string): ConsoleClient {
    return new ConsoleClient(this.#server, this.principalId, this.cookie, workspace);
  }

  get(path: string, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    return this.send('GET', path, { headers });
  }

  head(path: string, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    return this.send('HEAD', path, { headers });
  }

  post(path: string, body: unknown, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    ConsoleClient.#serial += 1;
    return this.send('POST', path, { body, headers: { 'Idempotency-Key': `c-${ConsoleClient.#serial}`, ...headers } });
  }

  put(path: string, body: unknown, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    return this.send('PUT', path, { body, headers: { 'If-Match': '*', ...headers } });
  }

  delete(path: string, headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
    return this.send('DELETE', path, { headers: { 'If-Match': '*', ...headers } });
  }

  /** The request of a page; the answer is checked against schema/console.yaml. @param path as in the description */
  async send(method: string, path: string, { headers = {}, body }: Sent = {}): Promise<HttpAnswer> {
    const start = path === '/session' ? '/console/api' : `/console/api/workspaces/${this.workspace}`;
    const answer = await sendPlainly(this.#server, method, start + path, {
      body,
      headers: { Cookie: this.cookie, ...fromOurPage, ...headers },
    });
    checker.check({ method, target: path, ...answer });
    return answer;
  }
}

/** A request of anything: nothing is added but the body's type, and nothing of the answer is checked. */
export function sendPlainly(
  { rest: { port } }: TestServer,
  method: string,
  path: string,
  { headers = {}, body }: Sent = {},
): Promise<HttpAnswer> {
  const isRaw = body instanceof Uint8Array || typeof body === 'string';
  const bytes = body === undefined ? undefined : Buffer.from(isRaw ? (body as Uint8Array) : JSON.stringify(body));
  const type = isRaw ? 'application/octet-stream' : 'application/json';
  const sent = bytes === undefined ? headers : { 'Content-Type': type, 'Content-Length': bytes.length, ...headers };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers: sent, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () =>
        resolve(
          makeAnswer({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(pieces) }),
        ),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

/** A service with sign-in and console on its port. */
export class TestConsole {
  readonly server: TestServer;
  readonly signIn: SignIn;

  constructor(server: TestServer, signIn: SignIn) {
    this.server = server;
    this.signIn = signIn;
  }

  get host(): TestServer['host'] {
    return this.server.host;
  }

  /** A signed-in person, with one folder grant where a role is given. */
  async person(name: string, role?: 'reader' | 'editor' | 'approver', folder = ''): Promise<ConsoleClient> {
    const id = await this.host.principal(name);
    if (role !== undefined) await this.host.grant(role, { type: 'principal', id }, folder);
    return this.signInAs(id, `${id}@example.org`);
  }

  /** A session for a principal, as a sign-in makes it. */
  async signInAs(principalId: string, signInName: string, workspace = this.host.workspace): Promise<ConsoleClient> {
    const { people } = this.host.service;
    const { result } = await perform(workspace, operator, issueLink, { principalId, signInName });
    const identity = people.links.look(result.secret);
    if (identity === undefined) throw new Error('The link does not work.');
    // In another workspace they have joined, as they do by their link.
    if (workspace !== this.host.workspace) people.links.use(result.secret, 'hash');
    const session = { identityId: identity.id, method: 'password', browser: 'Test', address: '127.0.0.1' } as const;
    const { secret } = people.sessions.begin(session);
    return new ConsoleClient(this.server, principalId, `cartulary=${secret}`, workspace.name);
  }

  async close(): Promise<void> {
    await this.signIn.close();
    await this.server.close();
  }
}

export interface TestConsoleOptions extends TestServerOptions {
  /** The address of the service for browsers; its own port when left out. */
  readonly url?: string;
}

export async function openConsole({ url: given, ...options }: TestConsoleOptions = {}): Promise<TestConsole> {
  const server = await openTestServer(options);
  const { host, rest, log: lines } = server;
  const { later, addressOf } = rest;
  const url = given ?? rest.url;
  const log = keepLog(lines as LogLine[]);
  const signIn = await createSignIn(host.service, { url, addressOf, log });
  rest.mount(signIn);
  const { readSession, endSession } = signIn;
  rest.mount(
    mountConsole(host.service, { url, log, later, addressOf, readSession, endSession, validateResponses: true }),
  );
  return new TestConsole(server, signIn);
}
