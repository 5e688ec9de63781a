import type { Adapter, AdapterPayload } from 'oidc-provider';
import { Refusal } from '../../domain/refusal.js';
import { issueToken } from '../../operations/principals/change-consent.js';
import type { OAuthEntry } from '../../sidecar/tables/oauth-table.js';
import { readClientId } from './client-id.js';
import type { OAuthDependencies } from './dependencies.js';
import { refreshGrace } from './lifetimes.js';
import { findLiveGrant } from './live-grant.js';
import { endGrant, performWithGrant } from './record-consent.js';
import { hashId, openEntry, sealEntry } from './seal-entry.js';

const second = 1000;
/** Of what is handed out for one consent, how many are kept: of more, the oldest goes. */
const maxOfGrant: Readonly<Record<string, number>> = { AccessToken: 100, RefreshToken: 100, AuthorizationCode: 10 };
/** Exchanges of refresh tokens of one consent, in a minute and at once. */
const refreshesPerMinute = 60;

/**
 * Where oidc-provider keeps one kind of thing. What hangs on a consent is found only while that consent is in force, so
 * that a person who was disabled or left a workspace has no token of any kind from the next request on.
 */
export class OAuthAdapter implements Adapter {
  readonly #kind: string;
  readonly #host: OAuthDependencies;
  readonly #clientKey: Uint8Array;

  /** @param clientKey by which the ids of registered clients are known again */
  constructor(kind: string, host: OAuthDependencies, clientKey: Uint8Array) {
    this.#kind = kind;
    this.#host = host;
    this.#clientKey = clientKey;
  }

  /** @param expiresIn seconds; left out for what does not end by itself */
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

  /** What is asked of a session by its other name is who it is about; the rest stays sealed. */
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const entry = this.#host.file.oauth.findByUid(uid);
    if (entry === undefined || !this.#isLive(entry) || entry.accountId === null) return undefined;
    return { uid, accountId: entry.accountId };
  }

  /** The device flow is not offered. */
  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  /** What is exchanged for tokens is used up in one change with the record that they are handed out. */
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
      // Of two who send it only one may have tokens for it, and it is not known which of them should.
      if (typeof entry?.grantId === 'string') await this.#end(entry.grantId);
      throw Object.assign(new Error('invalid_grant'), { expose: true, statusCode: 400 });
    }
    if (kind === 'AuthorizationCode') return this.#exchange(idHash);
    file.oauth.consume(kind, idHash, clock.now());
  }

  /** Each exchange leaves two rows and a record: a client that exchanges without end is told to wait. */
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

  /** The entry. One that was used for an answer that failed counts as unused once that is known. */
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

  /** A refresh token is forgiven a second use for a moment: clients that run side by side all refresh at once. */
  #isConsumed({ consumedAt }: OAuthEntry): boolean {
    if (consumedAt === null) return false;
    return this.#kind !== 'RefreshToken' || consumedAt + refreshGrace * second <= this.#host.clock.now();
  }

  /** Ends the whole consent, whichever of its tokens gave the reason; told once. */
  async #end(grantId: string): Promise<void> {
    const grant = this.#host.file.oauth.findGrant(grantId);
    if (grant !== undefined && grant.revokedAt === null) await endGrant(this.#host, grant);
  }
}

/** In the form that the provider answers with a 503: whether a token is good cannot be said now (Authentication 11). */
export function asUndecided(cause: unknown): unknown {
  const isUndecided = cause instanceof Refusal && cause.code === 'UNAVAILABLE';
  return isUndecided ? Object.assign(new Error('It cannot be decided now.', { cause }), { statusCode: 503 }) : cause;
}

/** The form in which a client's secret is stored. */
export function hashClientSecret(secret: string): string {
  return hashId('client_secret', secret).toString('base64url');
}
