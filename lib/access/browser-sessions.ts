import type { Clock, Randomness } from '../domain/clock.js';
import { makeIdentifier } from '../domain/identifier.js';
import type { SignInMethod } from '../domain/signed-in.js';
import type { StoredSession } from '../sidecar/tables/browser-session-table.js';
import type { PeopleTables } from '../sidecar/tables/people-tables.js';
import { hashSecret, makeSecret } from './secret.js';

const oneMinute = 60_000;
const oneHour = 60 * oneMinute;
/** Milliseconds without a request after which a session ends, and its longest life in any case. */
const maxIdleTime = 12 * oneHour;
const maxLifetime = 7 * 24 * oneHour;
/** Browsers with one person signed in at a time; of more, the session unused for the longest time ends. */
const maxOfOne = 100;
/** Rows deleted at once; each sign-in adds one. */
const sweptAtOnce = 200;

export interface NewSession {
  readonly identityId: string;
  readonly method: SignInMethod;
  readonly browser: string;
  readonly address: string;
  /** False where another provider let the person in, and may have asked them nothing. Left out: true. */
  readonly isProvenNow?: boolean;
  /** The address that another provider vouched for. Left out: none. */
  readonly vouchedFor?: string | null;
}

export interface BegunSession {
  readonly secret: string;
  readonly session: StoredSession;
  readonly gaveWay: readonly StoredSession[];
}

/** Browsers with a person signed in. A session is a secret in a cookie; each sign-in makes a new one. */
export class BrowserSessions {
  readonly #tables: PeopleTables;
  readonly #clock: Clock;
  readonly #randomness: Randomness;

  constructor(tables: PeopleTables, clock: Clock, randomness: Randomness) {
    this.#tables = tables;
    this.#clock = clock;
    this.#randomness = randomness;
  }

  /** @returns the secret for the cookie, of which no copy is stored, and the sessions ended to make room */
  begin({ isProvenNow = true, vouchedFor = null, ...session }: NewSession): BegunSession {
    const now = this.#clock.now();
    const secret = makeSecret(this.#randomness);
    const stored = {
      ...session,
      vouchedFor,
      id: makeIdentifier('ses', this.#randomness),
      startedAt: now,
      provenAt: isProvenNow ? now : null,
      lastSeenAt: toMinute(now),
    };
    return this.#tables.within(() => {
      const { sessions } = this.#tables;
      sessions.sweep(now - maxIdleTime, now - maxLifetime, sweptAtOnce);
      const gaveWay = sessions.listOf(session.identityId).slice(maxOfOne - 1);
      for (const { id } of gaveWay) sessions.delete(session.identityId, id);
      sessions.insert(stored, hashSecret(secret));
      return { secret, session: stored, gaveWay };
    });
  }

  /** The session in force for a cookie's secret; notes that it was seen. */
  read(secret: string): StoredSession | undefined {
    const now = this.#clock.now();
    const session = this.#tables.sessions.find(hashSecret(secret));
    if (session === undefined || !isInForce(session, now)) return undefined;
    const minute = toMinute(now);
    if (session.lastSeenAt < minute) this.#tables.sessions.touch(session.id, minute);
    return session;
  }

  /** Whether the session is in force now. It does not count as seen by this. */
  isInForce(sessionId: string): boolean {
    const session = this.#tables.sessions.byId(sessionId);
    return session !== undefined && isInForce(session, this.#clock.now());
  }

  /** Those in force; the one seen last comes first. */
  listOf(identityId: string): StoredSession[] {
    const now = this.#clock.now();
    return this.#tables.sessions.listOf(identityId).filter((session) => isInForce(session, now));
  }

  /** When the identity was seen last in a browser that is signed in, or was until lately. Null for never. */
  lastSeenOf(identityId: string): number | null {
    return this.#tables.sessions.lastSeenOf(identityId);
  }

  /** @returns whether the identity had that session */
  end(identityId: string, sessionId: string): boolean {
    return this.#tables.sessions.delete(identityId, sessionId);
  }

  /** @returns how many there were */
  endAll(identityId: string): number {
    return this.#tables.sessions.deleteOf(identityId);
  }
}

const toMinute = (at: number): number => at - (at % oneMinute);

function isInForce({ startedAt, lastSeenAt }: StoredSession, now: number): boolean {
  return now - startedAt < maxLifetime && now - lastSeenAt < maxIdleTime;
}
