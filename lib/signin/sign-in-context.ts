import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NewSession } from '../access/browser-sessions.js';
import { cutAddress } from '../limits/cut-address.js';
import { makeHostNotes } from '../http/note-hosts.js';
import { dropTrailing } from '../domain/drop-trailing.js';
import { rateLimited, Refusal } from '../domain/refusal.js';
import type { ReadSession, SignedIn } from '../domain/signed-in.js';
import { BeyondBounds } from '../http/request-bounds.js';
import { statusOf } from '../http/status-of.js';
import { performOwn } from '../operations/perform-own.js';
import { beginSession, type BeginSessionInput } from '../operations/principals/change-session.js';
import type { DeferredAudit } from '../journal/deferred-audit.js';
import { nameBrowser } from './browser-name.js';
import { Cookies } from './cookies.js';
import { FormProof } from './form-proof.js';
import type { SignInDependencies, SignInOptions } from './sign-in-dependencies.js';
import { KnownBrowser } from './known-browser.js';
import { isLoopback } from './loopback.js';
import { pageHeaders } from './pages/render-page.js';
import { errorPage } from './pages/message-pages.js';
import { actorsOf } from './record.js';
import { makeReadSession, sessionCookie, type Memberships } from './read-session.js';

/** One request on its way, within its bounds. */
export interface RequestContext {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** Of a POST; empty otherwise. */
  readonly form: URLSearchParams;
  /** The path's part for `:secret`; '' where it has none. */
  readonly secret: string;
}

/** The known parts of a request before it is read. */
export type Arrival = Pick<RequestContext, 'id' | 'request' | 'response'>;

/** A request that came by another host than the one for signing in, or not by https. */
export class Misdirected extends Refusal {
  /** @param isSafe whether people sign in by https here, or on the machine itself */
  constructor(isSafe: boolean) {
    const message = isSafe
      ? 'This is not the address that people sign in at. Ask an admin for it.'
      : 'People sign in over https only, or on the machine itself: nobody may read their passwords on the way. An admin sets public_url to an https address.';
    super('INVALID_REQUEST', message);
  }
}

/** Who signs in, and how they proved it. */
type SignInProof = Pick<NewSession, 'identityId' | 'method' | 'isProvenNow' | 'vouchedFor'>;

/** Forms of one address in a minute, and at once. */
const formsPerMinute = 60;

/** The common tools of every route: the same cookies, proofs, headers and ways to answer. */
export class SignInContext {
  readonly host: SignInDependencies;
  readonly options: SignInOptions;
  readonly later: DeferredAudit;
  /** A proxy's path prefix; '' where there is none. */
  readonly base: string;
  readonly cookies: Cookies;
  readonly proof: FormProof;
  readonly known: KnownBrowser;
  readonly readSession: ReadSession;

  readonly #notePlace: (host: string | undefined) => void;
  readonly #notePlain: (host: string | undefined) => void;

  constructor(host: SignInDependencies, options: SignInOptions, later: DeferredAudit) {
    const url = new URL(options.url);
    this.host = host;
    this.options = options;
    this.later = later;
    const refused = 'Signing in was refused for this host';
    this.#notePlace = makeHostNotes(options.log, `${refused}: set public_url to the address that people use`);
    this.#notePlain = makeHostNotes(
      options.log,
      `${refused}, because it is not https: put TLS in front, and set public_url to the https address`,
    );
    this.base = dropTrailing(url.pathname, '/');
    this.cookies = new Cookies(url.protocol === 'https:');
    // On the loopback address any of this machine's names will do: the form then has its page's name.
    const origin = url.protocol === 'https:' ? url.origin : null;
    this.proof = new FormProof(this.cookies, host.formKey, host.randomness, origin);
    this.known = new KnownBrowser(this.cookies, host.formKey, host.clock, host.randomness);
    this.readSession = makeReadSession(host, this.cookies);
  }

  addressOf({ request }: Arrival): string {
    return this.options.addressOf(request);
  }

  signedIn({ request }: RequestContext): SignedIn | undefined {
    return this.readSession(request.headers.cookie);
  }

  show({ response }: Arrival, page: string, status = 200): void {
    for (const [name, value] of Object.entries(pageHeaders())) response.setHeader(name, value);
    response.statusCode = status;
    response.end(page);
  }

  /** @param path of this service, with the base */
  goTo({ response }: Arrival, path: string): void {
    for (const [name, value] of Object.entries(pageHeaders())) response.setHeader(name, value);
    response.statusCode = 303;
    response.setHeader('Location', path);
    response.end();
  }

  /** A field of a form; undefined where it is missing or comes more than once. */
  field({ form }: RequestContext, name: string): string | undefined {
    const [value, ...others] = form.getAll(name);
    return others.length === 0 ? value : undefined;
  }

  /** Takes one form from the address's allowance. @throws Refusal RATE_LIMITED */
  holdToRate(exchange: RequestContext): void {
    const allowance = this.host.limiter.take(
      'form',
      cutAddress(this.addressOf(exchange)),
      formsPerMinute,
      formsPerMinute,
    );
    if (!allowance.allowed) throw rateLimited(allowance.retryAfter);
  }

  /** @throws Refusal RATE_LIMITED, or INVALID_REQUEST `stale_form` */
  requireForm(exchange: RequestContext, sessionId?: string): void {
    this.holdToRate(exchange);
    this.proof.require(exchange.request, this.field(exchange, 'csrf'), sessionId);
  }

  /**
   * Signs a person in: a new session, recorded, and only then the cookie; the browser's earlier session ends. Nothing
   * may be awaited between the look at the seats and the call.
   */
  async signIn(exchange: RequestContext, seats: Memberships, how: SignInProof): Promise<void> {
    const input = this.describeSession(exchange, how);
    const { secret } = await performOwn(this.host.journal, actorsOf(seats, exchange.id), beginSession, input);
    this.keepSession(exchange, how.identityId, secret);
  }

  /** The session that a request begins. */
  describeSession(exchange: RequestContext, how: SignInProof): BeginSessionInput {
    return {
      ...how,
      browser: nameBrowser(exchange.request.headers['user-agent']),
      address: this.addressOf(exchange),
      before: this.signedIn(exchange),
    };
  }

  /** Gives the browser the cookie of its new session, which is recorded already. */
  keepSession(exchange: RequestContext, identityId: string, secret: string): void {
    const { people } = this.host;
    this.cookies.set(exchange.response, sessionCookie, secret);
    const identity = people.identities.find(identityId);
    if (identity !== undefined) this.known.remember(exchange.response, identity);
  }

  /** Counts a refused attempt in every workspace of the attempted identity. */
  countRefused(identityId: string, reason: 'wrong_secret' | 'principal_disabled', address: string): void {
    for (const { workspace: name } of this.host.people.identities.membershipsOf(identityId, null)) {
      try {
        const workspace = this.host.find(name);
        if (workspace !== undefined) this.later.countRefused(workspace, 'console', reason, cutAddress(address));
      } catch {
        // An unreadable workspace cannot record anything either.
      }
    }
  }

  /** Writes a line into the log, the first time that people come by this host. */
  noteMisdirected(host: string | undefined): void {
    (this.isSafe ? this.#notePlace : this.#notePlain)(host);
  }

  /** Whether a request came by a name meant for browsers; otherwise another site's name may lead here. */
  isExpectedHost(host: string | undefined): boolean {
    if (host === undefined || !URL.canParse(`http://${host}`)) return false;
    return host === new URL(this.options.url).host || isLoopback(new URL(`http://${host}`).hostname);
  }

  /** Passwords and cookies travel only over https, or within this machine. */
  get isSafe(): boolean {
    const { protocol, hostname } = new URL(this.options.url);
    return protocol === 'https:' || isLoopback(hostname);
  }

  /** Shows a refusal on a page. */
  fail(exchange: Arrival, refusal: Refusal): void {
    const { id: requestId, request, response } = exchange;
    const { base } = this;
    if (refusal.retryAfter !== undefined) response.setHeader('Retry-After', String(refusal.retryAfter));
    if (refusal instanceof Misdirected) {
      this.noteMisdirected(request.headers.host);
      const page = errorPage({ base, title: 'Not at this address', message: refusal.message, requestId });
      return this.show(exchange, page, 421);
    }
    if (refusal instanceof BeyondBounds) {
      const { status, message, allow } = refusal.excess;
      if (allow !== undefined) response.setHeader('Allow', allow);
      return this.show(exchange, errorPage({ base, title: 'That cannot be answered', message, requestId }), status);
    }
    const status = statusOf(refusal);
    const next = { path: `${base}/signin`, label: 'Sign in' };
    this.show(exchange, errorPage({ base, ...explain(status, refusal), requestId, next }), status);
  }
}

function explain(status: number, refusal: Refusal): { readonly title: string; readonly message: string } {
  if (status === 429) return { title: 'Too many attempts', message: 'Wait a minute, and try again.' };
  if (status === 503) return { title: 'Not just now', message: 'The service is busy. Try again in a moment.' };
  if (status === 404) return { title: 'No such page', message: 'There is nothing at this address.' };
  if (status !== 500) return { title: 'That did not work', message: refusal.message };
  return { title: 'Something went wrong', message: 'That was our fault. Try again in a moment.' };
}
