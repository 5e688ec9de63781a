import type { Clock } from '../domain/clock.js';
import type { OAuthGrant } from '../domain/oauth-grant.js';
import type { PeopleTables } from '../sidecar/tables/people-tables.js';

/** The rights given to applications by people, in any workspace: their own to see and to end. */
export class Consents {
  readonly #tables: PeopleTables;
  readonly #clock: Clock;

  constructor(tables: PeopleTables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
  }

  /** Those in force; the newest first. */
  listOf(identityId: string): OAuthGrant[] {
    const now = this.#clock.now();
    const isInForce = ({ revokedAt, expiresAt }: OAuthGrant): boolean => revokedAt === null && expiresAt > now;
    return this.#tables.oauth.listGrantsOf(identityId).filter(isInForce);
  }

  /** @returns the consents in force before */
  endAll(identityId: string): OAuthGrant[] {
    const consents = this.listOf(identityId);
    for (const { id } of consents) this.#tables.oauth.revokeGrant(id, this.#clock.now());
    return consents;
  }
}
