import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as rest } from 'node:timers/promises';
import type { Provider } from 'oidc-provider';
import { cutAddress } from '../../limits/cut-address.js';
import type { ReadAccessToken } from '../../domain/access-token.js';
import { Refusal } from '../../domain/refusal.js';
import { preflightHeaders } from '../../http/cross-origin.js';
import type { Exchange, RequestNotes } from '../../http/exchange.js';
import type { MountedFace } from '../../http/port.js';
import { parseForm, readBody } from '../../http/read-body.js';
import { BeyondBounds, requireBounds, requireMethod } from '../../http/request-bounds.js';
import { serveOpenly, type OpenFace } from '../../http/serve-exchange.js';
import { statusOf } from '../../http/status-of.js';
import { leaveUnread } from '../../http/unread-body.js';
import { errorPage } from '../pages/message-pages.js';
import { sendJson, sendPage, unkeptPage } from './send-page.js';
import { ConsentController } from './ask-consent.js';
import { RefusedMetadata } from './client-metadata.js';
import { configureProvider } from './configure.js';
import { hashClientSecret } from './adapter.js';
import { makeDocumentFetcher, type FetchDocument } from './fetch-document.js';
import type { OAuthDependencies } from './oauth-dependencies.js';
import { keepSigningKeys, readClientKey, readCookieKey } from './keep-keys.js';
import { lifetimes } from './lifetimes.js';
import { loadLibrary, type OAuthLibrary } from './load-library.js';
import { makeAccessTokenReader } from './read-access-token.js';
import { describeResource, resourceOf } from './resource.js';
import { rewriteRequest } from './rewrite-request.js';
import { oauthPaths, OAuthRoutes, type FoundRoute, type OAuthRoute } from './oauth-routes.js';
import { stopRedirects } from './stop-redirects.js';

export interface OAuthOptions extends RequestNotes {
  /** Where people and clients find the service, without a slash at the end: the issuer. */
  readonly publicUrl: string;
  /** Fetches documents of clients; only from the open internet when left out. */
  readonly fetchDocument?: FetchDocument;
}

/** OAuth as a face on the service's port. */
export interface OAuthFace extends MountedFace {
  /** The rights of a token, for the face of its resource. */
  readonly readAccessToken: ReadAccessToken;
  /** Deletes expired entries in small steps, and replaces old signing keys. Called now and then. */
  keepUp(): Promise<void>;
  /** Signs with a new key from now on; the old ones are shown until none of their signatures is valid. */
  rotateKeys(): void;
}

const second = 1000;
/** Rows deleted at once, before other requests continue. */
const sweptAtOnce = 200;
/** Seconds before a retry of an undecided request. */
const retryAfter = 5;
/** Requests of one address in a minute, and at once; those that start a stranger's flow are fewer. */
const requestsPerMinute = 600;
const requestsAtOnce = 200;
const authorizationsPerMinute = 60;
const registrationsPerMinute = 60;

/** @throws Error when the keys in the service's file cannot be used */
export async function makeOAuthFace(host: OAuthDependencies, options: OAuthOptions): Promise<OAuthFace> {
  const library = await loadLibrary((notice) => options.log.debug({ notice }, 'The OAuth library says'));
  return new Face(host, options, library);
}

class Face implements OAuthFace, OpenFace<void> {
  readonly name = 'oauth';
  readonly headers = unkeptPage;
  readonly handle: MountedFace['handle'];
  readonly readAccessToken: ReadAccessToken;
  readonly #host: OAuthDependencies;
  readonly #options: OAuthOptions;
  readonly #library: OAuthLibrary;
  readonly #base: string;
  readonly #routes: OAuthRoutes;
  /** Of requests as they were rewritten. */
  readonly #addresses = new WeakMap<IncomingMessage, string>();
  readonly #consents: ConsentController;
  #keys = '';
  #provider: Provider;
  #callback: ReturnType<Provider['callback']>;

  constructor(host: OAuthDependencies, options: OAuthOptions, library: OAuthLibrary) {
    this.#host = host;
    this.#options = options;
    this.#library = library;
    const { publicUrl } = options;
    this.#base = new URL(publicUrl).pathname.replace(/\/$/, '');
    this.#routes = new OAuthRoutes(publicUrl);
    this.readAccessToken = makeAccessTokenReader(host, resourceOf(publicUrl));
    this.#consents = new ConsentController(host, { publicUrl, base: this.#base }, () => this.#provider);
    this.#provider = this.#makeProvider(false);
    this.#callback = this.#provider.callback();
    this.handle = serveOpenly(host, options, this);
  }

  takes(path: string): boolean {
    return path.startsWith('/oauth/') || this.#routes.isMetadata(path);
  }

  /** The library and the pages write their answers themselves. */
  async answer(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    exchange.lines.putOn(response);
    const [path = ''] = (request.url ?? '').split('?', 1);
    const found = this.#routes.find(path);
    exchange.route = found?.route.path ?? 'unknown';
    await this.#answer(request, response, found);
  }

  present(exchange: Exchange, refusal: Refusal): void {
    const { id: requestId, request, response } = exchange;
    exchange.lines.putOn(response);
    leaveUnread(request, response);
    if (refusal instanceof RefusedMetadata) {
      return sendJson(response, 400, { error: refusal.error, error_description: refusal.message });
    }
    const { status, error, title, message, retryAfter: wait, allow } = explain(refusal);
    if (allow !== undefined) response.setHeader('Allow', allow);
    if (wait !== undefined) response.setHeader('Retry-After', wait);
    if (!this.#isForPeople(request)) return sendJson(response, status, { error, error_description: message });
    sendPage(response, status, errorPage({ base: this.#base, title, message, requestId }));
  }

  send(): void {}

  async keepUp(): Promise<void> {
    this.#useKeys(false);
    const { file, clock } = this.#host;
    const now = clock.now();
    while (file.oauth.sweep(now, now - lifetimes.endedGrant * second, sweptAtOnce) === sweptAtOnce) await rest();
  }

  rotateKeys(): void {
    this.#useKeys(true);
  }

  async #answer(request: IncomingMessage, response: ServerResponse, found: FoundRoute | undefined): Promise<void> {
    const { publicUrl } = this.#options;
    const address = cutAddress(this.#options.addressOf(request));
    const kind = kindOf(found?.route);
    if (!this.#admit(request, response, address, kind)) return;
    if (found === undefined) return sendNothing(request, response);
    const { route } = found;
    if (kind === 'registration') response.setHeader('Access-Control-Allow-Origin', '*');
    requireMethod(request, route.methods);
    requireBounds(request, route);
    if (route.by === 'resource') return sendOpenly(request, response, describeResource(publicUrl));
    if (kind === 'registration' && answerPreflight(request, response)) return;
    const body = request.method === 'POST' ? await readBody(request, response, route) : Buffer.alloc(0);
    const rewritten = rewriteRequest(request, body, found, { publicUrl, base: this.#base });
    this.#addresses.set(rewritten, address);
    if (route.by === 'consent') return this.#consents.handle(rewritten, response, parseForm(body, route));
    await this.#callback(rewritten, response);
  }

  /** Holds each address to a rate, and requests that start a stranger's flow to a lower one. */
  #admit(request: IncomingMessage, response: ServerResponse, address: string, kind: Kind): boolean {
    const { limiter } = this.#host;
    const allowances = [limiter.take('oauth', address, requestsPerMinute, requestsAtOnce)];
    if (kind !== 'oauth') allowances.push(limiter.take(kind, address, rates[kind], rates[kind]));
    const refused = allowances.find(({ allowed }) => !allowed);
    if (refused === undefined) return true;
    leaveUnread(request, response);
    response.setHeader('Retry-After', refused.retryAfter);
    sendJson(response, 429, { error: 'temporarily_unavailable', error_description: 'Too many requests.' });
    return false;
  }

  /** Whether a person's browser asks, which is answered by a page, and not a program in the protocol's own form. */
  #isForPeople(request: IncomingMessage): boolean {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const found = this.#routes.find(path);
    return found?.route.by === 'consent' || found?.path.startsWith(oauthPaths.authorization) === true;
  }

  #useKeys(now: boolean): void {
    const before = this.#keys;
    const provider = this.#makeProvider(now);
    if (this.#keys === before) return;
    this.#provider = provider;
    this.#callback = provider.callback();
  }

  #makeProvider(now: boolean): Provider {
    const { publicUrl, log } = this.#options;
    const signingKeys = keepSigningKeys(this.#host, now);
    this.#keys = JSON.stringify(signingKeys.map((key) => key['kid']));
    const provider = new this.#library.Provider(
      publicUrl,
      configureProvider(this.#host, {
        library: this.#library,
        publicUrl,
        base: this.#base,
        cookieKey: readCookieKey(this.#host),
        clientKey: readClientKey(this.#host),
        signingKeys,
        fetchDocument: this.#options.fetchDocument ?? makeDocumentFetcher(),
        addressOf: (request) => this.#addresses.get(request) ?? '',
      }),
    );
    // The address of a request comes from `rewriteRequest`, and not from the client.
    provider.proxy = true;
    provider.silent = true;
    provider.on('server_error', (context, error: unknown) => {
      const id = context.res.getHeader('x-request-id');
      log.error({ id, err: error instanceof Refusal ? (error.cause ?? error) : error }, 'A sign-in request failed');
    });
    provider.Client.prototype.compareClientSecret = function compareSecret(secret: string) {
      return matchesSecret(this.clientSecret, secret);
    };
    provider.use(nameQueryOnly);
    provider.use(sayWhenToRetry);
    stopRedirects(provider, this.#host, this.#base);
    return provider;
  }
}

interface Explained {
  readonly status: number;
  /** The protocol's code (RFC 6749 §5.2, and §4.1.2.1 for a fault of the server). */
  readonly error: 'invalid_request' | 'temporarily_unavailable' | 'server_error';
  readonly title: string;
  readonly message: string;
  readonly retryAfter?: number;
  /** The methods of the address, where another was used. */
  readonly allow?: string | undefined;
}

/** A refusal in a page's words and in the protocol's. */
function explain(refusal: Refusal): Explained {
  if (refusal instanceof BeyondBounds) {
    const { status, message, allow } = refusal.excess;
    return { status, error: 'invalid_request', title: 'The application could not be connected', message, allow };
  }
  const { code, message, retryAfter: wait = 60 } = refusal;
  const error = 'temporarily_unavailable';
  if (code === 'RATE_LIMITED') {
    return {
      status: 429,
      error,
      title: 'Too many answers',
      message: 'Wait a minute, and try again.',
      retryAfter: wait,
    };
  }
  if (code === 'UNAVAILABLE') {
    const undecided = 'It could not be decided just now. Try again in a moment.';
    return { status: 503, error, title: 'Not just now', message: undecided, retryAfter };
  }
  if (code === 'INTERNAL') return unexpected;
  return { status: statusOf(refusal), error: 'invalid_request', title: 'That did not work', message };
}

const unexpected = {
  status: 500,
  error: 'server_error',
  title: 'Something went wrong',
  message: 'Something failed on our side. Go back to the application and try again.',
} as const;

function matchesSecret(hash: string | undefined, secret: string): boolean {
  const own = Buffer.from(hashClientSecret(secret));
  const kept = Buffer.from(hash ?? '');
  return kept.length === own.length && timingSafeEqual(own, kept);
}

type Kind = 'oauth' | 'authorization' | 'registration';
const rates = { authorization: authorizationsPerMinute, registration: registrationsPerMinute } as const;

/** The kind under which a request is counted, beside all others of its address. */
function kindOf(route: OAuthRoute | undefined): Kind {
  if (route?.path === oauthPaths.registration) return 'registration';
  return route?.path === oauthPaths.authorization ? 'authorization' : 'oauth';
}

/** An undecided or premature request gets the time for its retry. */
function sayWhenToRetry(
  context: { status: number; set(name: string, value: string): void },
  next: () => Promise<void>,
): Promise<void> {
  return next().then(() => {
    if (context.status === 503 || context.status === 429) context.set('Retry-After', String(retryAfter));
  });
}

/** The metadata names the only method for sending codes. */
function nameQueryOnly(context: { body: unknown }, next: () => Promise<void>): Promise<void> {
  return next().then(() => {
    const { body } = context;
    if (typeof body === 'object' && body !== null && 'response_modes_supported' in body) {
      body.response_modes_supported = ['query'];
    }
  });
}

const readable = preflightHeaders({ methods: 'GET', headers: 'MCP-Protocol-Version' });
const registrable = preflightHeaders({ methods: 'POST', headers: 'Content-Type, MCP-Protocol-Version' });

/** Public content, readable for scripts of any page. */
function sendOpenly(request: IncomingMessage, response: ServerResponse, body: unknown): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  for (const [name, value] of Object.entries(readable)) response.setHeader(name, value);
  if (request.method === 'OPTIONS') {
    response.statusCode = 204;
    response.end();
    return;
  }
  response.setHeader('Cache-Control', 'public, max-age=300');
  return sendJson(response, 200, body);
}

/** Scripts may register clients: the answer depends on nothing that a browser adds by itself. */
function answerPreflight(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== 'OPTIONS') return false;
  for (const [name, value] of Object.entries(registrable)) response.setHeader(name, value);
  response.statusCode = 204;
  response.end();
  return true;
}

function sendNothing(request: IncomingMessage, response: ServerResponse): void {
  leaveUnread(request, response);
  sendJson(response, 404, { error: 'invalid_request', error_description: 'There is nothing at this address.' });
}
