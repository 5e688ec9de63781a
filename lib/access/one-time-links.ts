import type { Clock, Randomness } from '../domain/clock.js';
import type { OAuthGrant } from '../domain/oauth-grant.js';
import type { StoredIdentity } from '../sidecar/tables/identity-table.js';
import type { PeopleTables } from '../sidecar/tables/people-tables.js';
import type { Consents } from './consents.js';
import { hashSecret, makeSecret } from './secret.js';

/** Milliseconds for which a link works. */
const lifetime = 24 * 60 * 60_000;
/** Rows deleted at once; each new link adds one. */
const sweptAtOnce = 200;

/** A link's secret; no copy is kept. */
export interface NewLink {
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Links by which people choose their first password, or a new one. */
export class OneTimeLinks {
  readonly #tables: PeopleTables;
  readonly #clock: Clock;
  readonly #randomness: Randomness;
  readonly #consents: Consents;

  constructor(tables: PeopleTables, clock: Clock, randomness: Randomness, consents: Consents) {
    this.#consents = consents;
    this.#tables = tables;
    this.#clock = clock;
    this.#randomness = randomness;
  }

  /** A new link; the ones before stop working. */
  issue(identityId: string): NewLink {
    const now = this.#clock.now();
    const secret = makeSecret(this.#randomness);
    const expiresAt = now + lifetime;
    this.#tables.within(() => {
      this.#tables.links.sweep(now, sweptAtOnce);
      this.#tables.links.deleteOf(identityId);
      this.#tables.links.insert({ secretHash: hashSecret(secret), identityId, createdAt: now, expiresAt });
    });
    return { secret, expiresAt };
  }

  /** The identity of a link, without using it up. */
  look(secret: string): StoredIdentity | undefined {
    const link = this.#tables.links.find(hashSecret(secret));
    if (link === undefined || link.expiresAt <= this.#clock.now()) return undefined;
    return this.#tables.identities.find(link.identityId);
  }

  /**
   * Uses a link up: sets the password, and ends every session and every consent to applications. A person with the old
   * password may have let in applications of their own.
   * @returns the consents that it ended; undefined where the link does not work, and nothing was changed
   */
  use(secret: string, passwordHash: string): readonly OAuthGrant[] | undefined {
    return this.#tables.within(() => {
      const identity = this.look(secret);
      if (identity === undefined) return undefined;
      this.#tables.links.deleteOf(identity.id);
      this.#tables.identities.setPassword(identity.id, passwordHash, this.#clock.now());
      this.#tables.sessions.deleteOf(identity.id);
      return this.#consents.endAll(identity.id);
    });
  }
}
