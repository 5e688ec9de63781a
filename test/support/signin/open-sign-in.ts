import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { issueLink } from '../../../lib/operations/principals/manage-sign-in.js';
import { perform } from '../../../lib/operations/perform.js';
import type { SignInOptions } from '../../../lib/signin/sign-in-dependencies.js';
import type { Upstream } from '../../../lib/signin/upstream.js';
import { createSignIn, type SignIn } from '../../../lib/signin/sign-in.js';
import { openTestServer, type TestServer, type TestServerOptions } from '../http/server.js';
import { keepLog, type LogLine } from '../http/log.js';
import { operator } from '../store/service.js';

export const goodPassword = 'four blue heron stairs';

export interface PageAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A service with sign-in for people. */
export class SignInTest {
  readonly server: TestServer;
  readonly signIn: SignIn;
  readonly url: string;

  constructor(server: TestServer, signIn: SignIn, url: string) {
    this.server = server;
    this.signIn = signIn;
    this.url = url;
  }

  /** A link for a principal. @returns its path */
  async link(principalId: string, signInName?: string, { workspace } = this.server.host): Promise<string> {
    const { result } = await perform(workspace, operator, issueLink, {
      principalId,
      signInName,
    });
    return `/signin/link/${result.secret}`;
  }

  /** A person with a password. @returns the principal's id */
  async person(name: string, signInName: string, password = goodPassword): Promise<string> {
    const { host } = this.server;
    const id = await host.principal(name);
    await this.choosePassword(await this.link(id, signInName), password);
    return id;
  }

  /** Uses a link up, without a browser. @param path of the link */
  async choosePassword(path: string, password = goodPassword): Promise<void> {
    const { links, passwords } = this.server.host.service.people;
    links.use(path.split('/').pop() ?? '', await passwords.hash(password));
  }

  visitor(headers: OutgoingHttpHeaders = {}): Visitor {
    return new Visitor(this.url, headers);
  }

  /** The records, in short: `action outcome reason`. */
  records(): string[] {
    return this.server
      .records()
      .map(({ record, text }) => `${record.action} ${record.outcome} ${text?.detail ?? ''}`.trim());
  }

  async close(): Promise<void> {
    await this.signIn.close();
    await this.server.close();
  }
}

export interface SignInTestOptions extends TestServerOptions {
  readonly signIn?: Partial<SignInOptions>;
  /** For callers that need the address first. */
  readonly upstream?: (url: string) => Promise<Upstream>;
}

export async function openSignIn(options: SignInTestOptions = {}): Promise<SignInTest> {
  const server = await openTestServer(options);
  const { log, host, rest } = server;
  // One person must remain who can administer the workspace when others are disabled.
  await host.person('approver', '', 'Root');
  const signIn = await createSignIn(host.service, {
    url: rest.url,
    addressOf: rest.addressOf,
    log: keepLog(log as LogLine[]),
    upstream: await options.upstream?.(rest.url),
    ...options.signIn,
  });
  rest.mount(signIn);
  return new SignInTest(server, signIn, rest.url);
}

/** A browser without a screen: it keeps cookies, and sends the forms of the last page. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #url: string;
  readonly #headers: OutgoingHttpHeaders;
  /** The last page. */
  page = '';

  constructor(url: string, headers: OutgoingHttpHeaders) {
    this.#url = url;
    this.#headers = headers;
  }

  get(path: string, headers: OutgoingHttpHeaders = {}): Promise<PageAnswer> {
    return this.#send('GET', path, headers);
  }

  /** Sends fields with the proof of the last page, unless they bring another. */
  post(path: string, fields: Readonly<Record<string, string>>, headers: OutgoingHttpHeaders = {}): Promise<PageAnswer> {
    const csrf = /name="csrf" value="([^"]*)"/.exec(this.page)?.[1] ?? '';
    const body = new URLSearchParams({ csrf, ...fields }).toString();
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return this.#send('POST', path, { ...type, ...headers }, body);
  }

  async signIn(name: string, password = goodPassword, fields: Readonly<Record<string, string>> = {}) {
    await this.get('/signin?again=1');
    return this.post('/signin', { name, password, ...fields });
  }

  /** Whether the service recognises the person. */
  async isSignedIn(): Promise<boolean> {
    return (await this.get('/signin/sessions')).status === 200;
  }

  #send(method: string, path: string, headers: OutgoingHttpHeaders, body?: string): Promise<PageAnswer> {
    const { hostname, port } = new URL(this.#url);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { ...(cookie === '' ? {} : { Cookie: cookie }), ...this.#headers, ...headers };
    return new Promise((resolve, reject) => {
      const outgoing = request({ hostname, port, method, path, headers: sent, agent: false }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString();
          for (const line of response.headers['set-cookie'] ?? []) this.#keep(line);
          this.page = text;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/; Max-Age=0/.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
