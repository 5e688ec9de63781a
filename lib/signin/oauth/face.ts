import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { cutAddress } from '../../access/cut-address.js';
import type { ReadAccessToken } from '../../domain/access-token.js';
import { makeIdentifier } from '../../domain/identifier.js';
import type { Log } from '../../domain/log.js';
import { Refusal } from '../../domain/refusal.js';
import { logWhenDone } from '../../http/log-when-done.js';
import { errorPage } from '../pages/tell.js';
import { protectAnswer, sendJson, sendPage } from './answer.js';
import { ConsentDesk } from './ask-consent.js';
import { configureProvider, oauthPaths } from './configure.js';
import { hashClientSecret } from './adapter.js';
import { makeDocumentFetcher, type FetchDocument } from './fetch-document.js';
import type { OAuthHost } from './host.js';
import { keepSigningKeys, readCookieKey } from './keep-keys.js';
import { lifetimes } from './lifetimes.js';
import { loadLibrary, type OAuthLibrary } from './load-library.js';
import { makeAccessTokenReader } from './read-access-token.js';
import { describeResource, isResourceMetadataPath, resourceOf } from './resource.js';
import { BadMetadata, BodyTooLong, rewriteRequest } from './rewrite-request.js';

export interface OAuthOptions {
  /** Where people and clients find the service, without a slash at the end: the issuer. */
  readonly publicUrl: string;
  readonly log: Log;
  /** The client's address, to hold it to a rate: the same as every other face on this port goes by. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** How documents of clients are fetched; only from the open internet unless told. */
  readonly fetchDocument?: FetchDocument;
}

/** OAuth as a face on the service's port. */
export interface OAuthFace {
  /** What a token opens, for the face that takes it. */
  readonly readAccessToken: ReadAccessToken;
  takes(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Drops what has expired and changes signing keys that are old. Called now and then. */
  keepUp(): void;
  /** Signs with a new key from now on; the old ones are shown until nothing they signed is alive. */
  rotateKeys(): void;
}

const second = 1000;
/** Seconds after which something that could not be decided may be asked again. */
const retryAfter = 5;
/** Requests of one address in a minute, and how many registrations of clients among them. */
const requestsPerMinute = 600;
const registrationsPerMinute = 20;
/** Registered clients. One that nobody let in is dropped after a day, or when there is no room for another. */
const mostClients = 10_000;

const metadataPaths = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

/** @throws Error when the keys in the service's file cannot be used */
export async function makeOAuthFace(host: OAuthHost, options: OAuthOptions): Promise<OAuthFace> {
  const library = await loadLibrary((notice) => options.log.debug({ notice }, 'The OAuth library says'));
  return new Face(host, options, library);
}

class Face implements OAuthFace {
  readonly readAccessToken: ReadAccessToken;
  readonly #host: OAuthHost;
  readonly #options: OAuthOptions;
  readonly #library: OAuthLibrary;
  readonly #base: string;
  /** Of requests as they were rewritten. */
  readonly #addresses = new WeakMap<IncomingMessage, string>();
  readonly #desk: ConsentDesk;
  #keys = '';
  #provider: Provider;
  #callback: ReturnType<Provider['callback']>;

  constructor(host: OAuthHost, options: OAuthOptions, library: OAuthLibrary) {
    this.#host = host;
    this.#options = options;
    this.#library = library;
    const { publicUrl } = options;
    this.#base = new URL(publicUrl).pathname.replace(/\/$/, '');
    this.readAccessToken = makeAccessTokenReader(host, resourceOf(publicUrl));
    this.#desk = new ConsentDesk(host, { publicUrl, base: this.#base }, () => this.#provider);
    this.#provider = this.#makeProvider(false);
    this.#callback = this.#provider.callback();
  }

  takes(path: string): boolean {
    return (
      path.startsWith('/oauth/') ||
      isResourceMetadataPath(path, this.#options.publicUrl) ||
      this.#metadataPath(path) !== undefined
    );
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const id = makeIdentifier('req', this.#host.randomness);
    const [path = ''] = (request.url ?? '').split('?');
    const isMetadata = isResourceMetadataPath(path, this.#options.publicUrl) || this.#metadataPath(path) !== undefined;
    const route = isMetadata ? path : (nameRoute(path) ?? 'unknown');
    response.setHeader('X-Request-Id', id);
    protectAnswer(response);
    logWhenDone(this.#options.log, request, response, () => ({ id, route }));
    this.#answer(request, response, path).catch((error: unknown) => this.#sendFault(response, error, id));
  }

  keepUp(): void {
    const { file, clock } = this.#host;
    const now = clock.now();
    file.oauth.sweep(now, now - lifetimes.endedGrant * second);
    this.#useKeys(false);
  }

  rotateKeys(): void {
    this.#useKeys(true);
  }

  async #answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { publicUrl } = this.#options;
    const isRegistration = path === oauthPaths.registration;
    if (isResourceMetadataPath(path, publicUrl)) return sendOpenly(request, response, describeResource(publicUrl));
    if (isRegistration && answerPreflight(request, response)) return;
    const address = cutAddress(this.#options.addressOf(request));
    if (!this.#admit(request, response, address, isRegistration)) return;
    const metadataPath = this.#metadataPath(path);
    if (metadataPath === undefined && nameRoute(path) === undefined) return sendNothing(request, response);
    const rewritten = await rewriteRequest(request, { publicUrl, base: this.#base });
    rewritten.url = `${metadataPath ?? path}${(rewritten.url ?? '').slice(path.length)}`;
    this.#addresses.set(rewritten, address);
    if (path.startsWith(`${oauthPaths.interaction}/`)) return this.#desk.handle(rewritten, response);
    await this.#callback(rewritten, response);
  }

  /** The path by which the provider knows its own description (RFC 8414 §3 has the issuer's path inserted after it). */
  #metadataPath(path: string): string | undefined {
    return metadataPaths.find((each) => path === each || (this.#base !== '' && path === `${each}${this.#base}`));
  }

  /** Holds each address to a rate, and registrations, which cost disk, to a lower one. */
  #admit(request: IncomingMessage, response: ServerResponse, address: string, isRegistration: boolean): boolean {
    const { limiter } = this.#host;
    const allowances = [limiter.take('oauth', address, requestsPerMinute, requestsPerMinute)];
    if (isRegistration) {
      allowances.push(limiter.take('registration', address, registrationsPerMinute, registrationsPerMinute));
    }
    const refused = allowances.find(({ allowed }) => !allowed);
    if (refused === undefined && (!isRegistration || this.#hasRoomForClient())) return true;
    response.setHeader('Retry-After', refused?.retryAfter ?? 3600);
    sendJson(response, 429, { error: 'temporarily_unavailable', error_description: 'Too many requests.' });
    request.resume();
    return false;
  }

  /** Where all places are taken, the oldest client that nobody let in gives way. */
  #hasRoomForClient(): boolean {
    const { file, clock } = this.#host;
    if (file.oauth.countEntries('Client') < mostClients) return true;
    return file.oauth.removeOldest('Client', clock.now() + lifetimes.unusedClient * second);
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
        signingKeys,
        fetchDocument: this.#options.fetchDocument ?? makeDocumentFetcher(),
        addressOf: (request) => this.#addresses.get(request) ?? '',
      }),
    );
    // What is told of the address is what `rewriteRequest` writes, and not what a client sends.
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
    return provider;
  }

  #sendFault(response: ServerResponse, error: unknown, id: string): void {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    if (error instanceof BodyTooLong) {
      response.setHeader('Connection', 'close');
      sendJson(response, 413, { error: 'invalid_request', error_description: 'The body is too long.' });
      return;
    }
    if (error instanceof BadMetadata) {
      // The form of RFC 7591 §3.2.2.
      sendJson(response, 400, { error: 'invalid_client_metadata', error_description: error.message });
      return;
    }
    if (error instanceof Refusal && error.code === 'INVALID_REQUEST') {
      const page = { base: this.#base, title: 'That did not work', message: error.message, requestId: id };
      sendPage(response, 400, errorPage(page));
      return;
    }
    const isUndecided = error instanceof Refusal && error.code === 'UNAVAILABLE';
    if (isUndecided) response.setHeader('Retry-After', retryAfter);
    else this.#options.log.error({ id, err: error }, 'A sign-in request failed');
    const title = isUndecided ? 'Not just now' : 'Something went wrong';
    const message = isUndecided
      ? 'It could not be decided just now. Try again in a moment.'
      : 'Something failed on our side. Go back to the application and try again.';
    sendPage(response, isUndecided ? 503 : 500, errorPage({ base: this.#base, title, message, requestId: id }));
  }
}

function matchesSecret(hash: string | undefined, secret: string): boolean {
  const own = Buffer.from(hashClientSecret(secret));
  const kept = Buffer.from(hash ?? '');
  return kept.length === own.length && timingSafeEqual(own, kept);
}

/** An answer that could not be decided says when to ask again. */
function sayWhenToRetry(
  context: { status: number; set(name: string, value: string): void },
  next: () => Promise<void>,
): Promise<void> {
  return next().then(() => {
    if (context.status === 503) context.set('Retry-After', String(retryAfter));
  });
}

/** The metadata names the one way in which codes are sent. */
function nameQueryOnly(context: { body: unknown }, next: () => Promise<void>): Promise<void> {
  return next().then(() => {
    const { body } = context;
    if (typeof body === 'object' && body !== null && 'response_modes_supported' in body) {
      body.response_modes_supported = ['query'];
    }
  });
}

/** What anyone may read, scripts of any page included. */
function sendOpenly(request: IncomingMessage, response: ServerResponse, body: unknown): void {
  request.resume();
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Allow-Methods', 'GET');
  response.setHeader('Access-Control-Allow-Headers', 'MCP-Protocol-Version');
  if (request.method === 'OPTIONS') {
    response.statusCode = 204;
    response.end();
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return sendJson(response, 405, { error: 'invalid_request', error_description: 'Only GET is taken here.' });
  }
  response.setHeader('Cache-Control', 'public, max-age=300');
  return sendJson(response, 200, body);
}

/** Scripts may register clients: nothing is looked at that a browser sends by itself. */
function answerPreflight(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('Access-Control-Allow-Origin', '*');
  if (request.method !== 'OPTIONS') return false;
  response.setHeader('Access-Control-Allow-Methods', 'POST');
  response.setHeader('Access-Control-Allow-Headers', 'Content-Type, MCP-Protocol-Version');
  response.statusCode = 204;
  response.end();
  return true;
}

const plainPaths: readonly string[] = Object.values(oauthPaths).filter((path) => path !== oauthPaths.interaction);
const pathsWithId: readonly string[] = [oauthPaths.authorization, oauthPaths.interaction];

/**
 * The path without what is secret in it; undefined for one that there is not. The provider takes other spellings for
 * the same, which would go past what is held to a rate here.
 */
function nameRoute(path: string): string | undefined {
  if (plainPaths.includes(path)) return path;
  const [, start = '', id = ''] = /^(\/oauth\/[^/]*)\/([\w-]+)$/.exec(path) ?? [];
  return id !== '' && pathsWithId.includes(start) ? `${start}/{id}` : undefined;
}

function sendNothing(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  sendJson(response, 404, { error: 'invalid_request', error_description: 'There is nothing at this address.' });
}
