import type { IncomingMessage } from 'node:http';
import { readPolicy } from '../access/read-policy.js';
import type { Arrival } from '../api/requests/checked-request.js';
import type { Caller } from '../domain/caller.js';
import { notFound, notSignedIn, rateLimited, Refusal } from '../domain/refusal.js';
import type { SignedIn } from '../domain/signed-in.js';
import type { Asking } from '../http/serve-exchange.js';
import { refuseUndecided, sqliteCode } from '../sidecar/fault.js';
import type { Workspace } from '../workspace/workspace.js';
import { refuseAddress } from '../workspace/recognise-key.js';
import type { ConsoleDependencies, ConsoleOptions } from './console-dependencies.js';

/** The header that our pages send. Another site's page can't send it without our permission (Fetch, CORS protocol). */
const ownHeader = 'x-cartulary-console';

/** Characters: a host's name has 253 at most. */
const maxOriginLength = 300;

/** Questions of one person outside their workspaces in a minute, and at once. */
const questionsPerMinute = 600;

/** How people are recognised here: by the session's cookie, from our own pages only. */
export class PersonReader {
  readonly #dependencies: ConsoleDependencies;
  readonly #options: ConsoleOptions;
  /** Null on this machine, whose names are all the same to a person. */
  readonly #origin: string | null;

  constructor(dependencies: ConsoleDependencies, options: ConsoleOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    const { protocol, origin } = new URL(options.url);
    this.#origin = protocol === 'https:' ? origin : null;
  }

  /**
   * The signed-in person of a request, read again for each.
   * @throws Refusal UNAUTHENTICATED, the same for every reason; RATE_LIMITED when an address fails too often;
   * UNAVAILABLE
   */
  read({ request }: Arrival): SignedIn {
    try {
      requireOwnPage(request, this.#origin);
      const signedIn = this.#options.readSession(request.headers.cookie);
      if (signedIn !== undefined) return signedIn;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'UNAUTHENTICATED') throw asUndecided(error);
    }
    const refusal = refuseAddress(this.#dependencies.limiter, this.#options.addressOf(request));
    throw refusal.code === 'RATE_LIMITED' ? refusal : notSignedIn();
  }

  /**
   * The same for a question that belongs to no single workspace, counted for the person.
   * @throws Refusal as `read` does; RATE_LIMITED
   */
  readWithinRate(arrival: Arrival): SignedIn {
    const signedIn = this.read(arrival);
    const { limiter } = this.#dependencies;
    const allowance = limiter.take('session', signedIn.identityId, questionsPerMinute, questionsPerMinute);
    if (!allowance.allowed) throw rateLimited(allowance.retryAfter);
    return signedIn;
  }

  /**
   * The signed-in person as the caller of an operation in one workspace. A workspace without a place for the person is
   * refused as an absent one: the steps are the same for both.
   * @throws Refusal as `read` does; NOT_FOUND; UNAVAILABLE when the workspace cannot be read
   */
  readIn(name: string, arrival: Arrival): Asking {
    const { sessionId, identityId, memberships, provenAt, vouchedFor } = this.read(arrival);
    const { people } = this.#dependencies;
    try {
      const seat =
        memberships.find(({ workspace }) => workspace === name) ??
        people.identities.membershipsOf(identityId, vouchedFor).find(({ workspace }) => workspace === name);
      if (seat === undefined) this.readWithinRate(arrival);
      const workspace = seat === undefined ? undefined : this.#dependencies.find(name);
      const tables = workspace?.journal.reader;
      const principal = tables?.principals.find(seat?.principalId ?? '');
      if (workspace === undefined || tables === undefined || principal?.disabledAt !== null) throw notFound();
      const { id: principalId } = principal;
      const caller: Caller = {
        principalId,
        kind: 'person',
        credentialId: null,
        // Apart from the person's applications: what these send must not keep the person from the console.
        countedAs: `console ${principalId}`,
        sessionId,
        ...(provenAt === null ? {} : { provenAt }),
        interface: 'console',
        requestId: arrival.id,
      };
      return { workspace, caller, policy: readPolicy(tables), source: principalId, requestsPerMinute: null };
    } catch (error) {
      throw asUndecided(error, () => this.#dependencies.find(name)?.disk);
    }
  }
}

function asUndecided(error: unknown, diskOf?: () => Workspace['disk'] | undefined): unknown {
  return error instanceof Refusal || sqliteCode(error) === undefined ? error : refuseUndecided(error, diskOf?.());
}

/**
 * Lets a request pass only if it comes from a page of ours. A browser adds the session's cookie to requests of other
 * pages too, so the cookie alone proves nothing. `Sec-Fetch-Site` is what a browser says itself, and no page can change
 * it. A browser without it has to send our header with reads as well.
 *
 * A read may also come from the person who types an address or opens a bookmark (`none`).
 * @param ownOrigin of the service; null where several names of this machine will do
 * @throws Refusal UNAUTHENTICATED, as for a missing session
 */
function requireOwnPage({ method, headers }: IncomingMessage, ownOrigin: string | null): void {
  const isRead = method === 'GET' || method === 'HEAD';
  const isMarked = headers[ownHeader] === '1';
  const site = headers['sec-fetch-site'];
  const isFromHere = site === 'same-origin' || (isRead && site === 'none') || (site === undefined && isMarked);
  if (!isFromHere || (!isRead && !isMarked) || !isOwnOrigin(headers, ownOrigin)) throw notSignedIn();
}

/** Browsers send no origin with most reads. */
function isOwnOrigin({ origin, host }: IncomingMessage['headers'], ownOrigin: string | null): boolean {
  if (origin === undefined) return true;
  if (origin.length > maxOriginLength) return false;
  if (ownOrigin !== null) return origin === ownOrigin;
  return URL.canParse(origin) && new URL(origin).host === host;
}
