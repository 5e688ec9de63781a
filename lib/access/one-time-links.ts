import type { Clock, Randomness } from '../domain/clock.js';
import type { OAuthGrant } from '../domain/oauth-grant.js';
import type { Seat } from '../domain/signed-in.js';
import type { StoredIdentity } from '../sidecar/tables/identity-table.js';
import type { StoredLink } from '../sidecar/tables/one-time-link-table.js';
import type { PeopleTables } from '../sidecar/tables/people-tables.js';
import type { Consents } from './consents.js';
import { hashSecret, makeSecret } from './secret.js';

/** Milliseconds for which a link works. */
const lifetime = 24 * 60 * 60_000;
/** Rows deleted at once; each new link adds one. */
const sweptAtOnce = 200;

/** A link's secret; no copy is stored. */
export interface NewLink {
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The person whom a link is for. */
export interface LinkHolder extends StoredIdentity {
  /** The principal for whom it was made. */
  readonly seat: Seat;
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

  /**
   * A new link for a principal with an identity; the ones before stop working, in whichever workspace they were made.
   * A link by which a person joins another workspace is apart from these: nobody but its maker takes it away.
   */
  issue({ workspace, principalId }: Seat): NewLink {
    const now = this.#clock.now();
    const secret = makeSecret(this.#randomness);
    const expiresAt = now + lifetime;
    this.#tables.within(() => {
      const { links, identities } = this.#tables;
      links.sweep(now, sweptAtOnce);
      links.deleteOf(workspace, principalId);
      const membership = identities.findMembership(workspace, principalId);
      if (membership?.joiningAs === null) links.deleteOfJoined(membership.identityId);
      links.insert({ secretHash: hashSecret(secret), workspace, principalId, createdAt: now, expiresAt });
    });
    return { secret, expiresAt };
  }

  /** Links of a workspace that were made since a moment and still work, the newest first, at most so many. */
  openIn(workspace: string, since: number, most: number): Pick<StoredLink, 'principalId' | 'createdAt'>[] {
    return this.#tables.links.openIn(workspace, since, this.#clock.now(), most);
  }

  /** Ends a principal's links in a workspace. @returns whether there were any */
  end({ workspace, principalId }: Seat): boolean {
    return this.#tables.links.deleteOf(workspace, principalId);
  }

  /** The person of a link, without using it up. */
  look(secret: string): LinkHolder | undefined {
    const link = this.#tables.links.find(hashSecret(secret));
    if (link === undefined || link.expiresAt <= this.#clock.now()) return undefined;
    const { workspace, principalId } = link;
    const membership = this.#tables.identities.findMembership(workspace, principalId);
    const identity = membership && this.#tables.identities.find(membership.identityId);
    return identity && { ...identity, seat: { workspace, principalId } };
  }

  /**
   * Uses a link up: the person joins its workspace. It sets the password, and ends every session, every consent to
   * applications and every other link with which one could set the password again. A person with the old password may
   * have let in applications of their own.
   * @returns the consents that it ended; undefined where the link does not work, and nothing was changed
   */
  use(secret: string, passwordHash: string): readonly OAuthGrant[] | undefined {
    return this.#tables.within(() => {
      const identity = this.look(secret);
      if (identity === undefined) return undefined;
      this.#tables.identities.setJoining(identity.seat.workspace, identity.seat.principalId, null);
      this.#tables.links.deleteOfJoined(identity.id);
      this.#tables.identities.setPassword(identity.id, passwordHash, this.#clock.now());
      this.#tables.sessions.deleteOf(identity.id);
      return this.#consents.endAll(identity.id);
    });
  }
}
