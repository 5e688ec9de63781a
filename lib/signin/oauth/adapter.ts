import type { Adapter, AdapterPayload } from 'oidc-provider';
import { Refusal } from '../../domain/refusal.js';
import { issueToken } from '../../operations/principals/change-consent.js';
import type { OAuthEntry } from '../../sidecar/tables/oauth-table.js';
import { readClientId } from './client-id.js';
import type { OAuthDependencies } from './oauth-dependencies.js';
import { refreshGrace } from './lifetimes.js';
import { findLiveGrant } from './live-grant.js';
import { endGrant, performWithGrant } from './record-consent.js';
import { hashId, openEntry, sealEntry } from './seal-entry.js';

const second = 1000;
/** How many tokens of a kind are stored for one consent: of more, the oldest goes. */
const maxOfGrant: Readonly<Record<string, number>> = { AccessToken: 100, RefreshToken: 100, AuthorizationCode: 10 };
/** Exchanges of refresh tokens of one consent, in a minute and at once. */
const refreshesPerMinute = 60;

/**
 * The store of oidc-provider for one kind of entry. Entries of a consent are found only while it is in force. So a
 * person without access, disabled or gone from a workspace, has no token from the next request on.
 */
export class OAuthAdapter implements Adapter {
  readonly #kind: string;
  readonly #host: OAuthDependencies;
  readonly #clientKey: Uint8Array;

  /** @param clientKey for recognising the ids of registered clients */
  constructor(kind: string, host: OAuthDependencies, clientKey: Uint8Array) {
    this.#kind = kind;
    this.#host = host;
    this.#clientKey = clientKey;
  }

  /** @param expiresIn seconds; left out for entries without an end */
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const { clock, randomness, file } = this.#host;
    const kind = this.#kind;
    // A registered client carries its registration in its id.
    if (kind === 'Client') return;
    const grantId = kind === 'Grant' ? id : (payload.grantId ?? null);
    if (kind === 'AccessToken' && findLiveGrant(this.#host, grantId ?? '') === undefined) {
      throw new Error('An access token was to be issued without a consent in force.');
    }
    file.oauth.putEntry({
      kind,
      idHash: hashId(kind, id),
      grantId: kind === 'Interaction' ? null : grantId,
      uid: kind === 'Session' ? (payload.uid ?? null) : null,
      accountId: kind === 'Session' ? (payload.accountId ?? null) : null,
      content: sealEntry(kind, id, payload, randomness),
      consumedAt: null,
      expiresAt: expiresIn === undefined ? null : clock.now() + expiresIn * second,
    });
    const most = maxOfGrant[kind];
    if (most !== undefined && grantId !== null) file.oauth.keepNewest(kind, grantId, most);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const client = this.#kind === 'Client' ? readClientId(id, this.#clientKey) : undefined;
    if (client !== undefined) return { ...client.metadata, client_id: id, client_secret: client.secretHash };
    const entry = await this.#findSettled(hashId(this.#kind, id));
    if (entry === undefined || !this.#isLive(entry)) return undefined;
    const payload = openEntry(this.#kind, id, entry.content) as AdapterPayload;
    return this.#isConsumed(entry) ? { ...payload, consumed: Math.floor((entry.consumedAt ?? 0) / second) } : payload;
  }

  /** The only fact needed of a session by its other name is its account; the rest stays sealed. */
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const entry = this.#host.file.oauth.findByUid(uid);
    if (entry === undefined || !this.#isLive(entry) || entry.accountId === null) return undefined;
    return { uid, accountId: entry.accountId };
  }

  /** The device flow is not offered. */
  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  /** An entry exchanged for tokens is used up in one change with the record of their issue. */
  async consume(id: string): Promise<void> {
    const { file, clock } = this.#host;
    const kind = this.#kind;
    const idHash = hashId(kind, id);
    if (kind === 'RefreshToken') {
      this.#holdToRate(idHash);
      return this.#exchange(idHash);
    }
    const entry = file.oauth.findEntry(kind, idHash);
    if (entry === undefined || entry.consumedAt !== null) {
      // Of two senders only one may have tokens for it, and the rightful one is unknown.
      if (typeof entry?.grantId === 'string') await this.#end(entry.grantId);
      throw Object.assign(new Error('invalid_grant'), { expose: true, statusCode: 400 });
    }
    if (kind === 'AuthorizationCode') return this.#exchange(idHash);
    file.oauth.consume(kind, idHash, clock.now());
  }

  /** Each exchange leaves two rows and a record, so a client of endless exchanges has to wait. */
  #holdToRate(idHash: Uint8Array): void {
    const { file, limiter } = this.#host;
    const grantId = file.oauth.findEntry(this.#kind, idHash)?.grantId ?? '';
    if (limiter.take('refresh', grantId, refreshesPerMinute, refreshesPerMinute).allowed) return;
    throw Object.assign(new Error('temporarily_unavailable'), { expose: true, statusCode: 429 });
  }

  async #exchange(idHash: Uint8Array): Promise<void> {
    const kind = this.#kind;
    const grantId = this.#host.file.oauth.findEntry(kind, idHash)?.grantId ?? '';
    try {
      const grant = findLiveGrant(this.#host, grantId);
      if (grant === undefined) throw new Error('A token was to be exchanged without a consent in force.');
      await performWithGrant(this.#host, grant, issueToken, { grant, entry: { kind, idHash } });
    } catch (cause) {
      throw asUndecided(cause);
    }
  }

  /** The entry. An entry used for a failed answer counts as unused, once the failure is known. */
  async #findSettled(idHash: Uint8Array): Promise<OAuthEntry | undefined> {
    const { file, journal } = this.#host;
    const entry = file.oauth.findEntry(this.#kind, idHash);
    if (entry === undefined || entry.consumedAt === null || entry.grantId === null) return entry;
    const workspace = file.oauth.findGrant(entry.grantId)?.workspace;
    if (workspace === undefined || !journal.isUnsettled(workspace)) return entry;
    try {
      await journal.settle(workspace);
    } catch (cause) {
      throw asUndecided(cause);
    }
    return file.oauth.findEntry(this.#kind, idHash);
  }

  async destroy(id: string): Promise<void> {
    if (this.#kind === 'Grant') await this.#end(id);
    this.#host.file.oauth.removeEntry(this.#kind, hashId(this.#kind, id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#end(grantId);
  }

  #isLive({ expiresAt, grantId }: OAuthEntry): boolean {
    if (expiresAt !== null && expiresAt <= this.#host.clock.now()) return false;
    if (grantId === null) return true;
    try {
      return findLiveGrant(this.#host, grantId) !== undefined;
    } catch (cause) {
      throw asUndecided(cause);
    }
  }

  /** A refresh token may be used a second time for a moment: clients side by side all refresh at once. */
  #isConsumed({ consumedAt }: OAuthEntry): boolean {
    if (consumedAt === null) return false;
    return this.#kind !== 'RefreshToken' || consumedAt + refreshGrace * second <= this.#host.clock.now();
  }

  /** Ends the whole consent, whichever of its tokens gave the reason; recorded once. */
  async #end(grantId: string): Promise<void> {
    const grant = this.#host.file.oauth.findGrant(grantId);
    if (grant !== undefined && grant.revokedAt === null) await endGrant(this.#host, grant);
  }
}

/** The form of the provider's 503: a token cannot be checked now (Authentication 11). */
export function asUndecided(cause: unknown): unknown {
  const isUndecided = cause instanceof Refusal && cause.code === 'UNAVAILABLE';
  return isUndecided ? Object.assign(new Error('It cannot be decided now.', { cause }), { statusCode: 503 }) : cause;
}

/** The stored form of a client's secret. */
export function hashClientSecret(secret: string): string {
  return hashId('client_secret', secret).toString('base64url');
}
