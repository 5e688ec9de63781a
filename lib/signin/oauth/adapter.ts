import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { OAuthGrant } from '../../domain/oauth-grant.js';
import { Refusal } from '../../domain/refusal.js';
import type { OAuthEntry } from '../../sidecar/oauth-table.js';
import type { OAuthHost } from './host.js';
import { lifetimes, refreshGrace } from './lifetimes.js';
import { findLiveGrant } from './live-grant.js';
import { hashId, openEntry, sealEntry } from './seal-entry.js';

/** What is told of tokens as they come and go, for the audit log. */
export interface TokenEvents {
  /** Before tokens are handed out. @throws Refusal when it cannot be recorded; then there are none */
  issued(grant: OAuthGrant): Promise<void>;
  /** A consent ended: the client gave it back, or something that was used already came again. */
  ended(grant: OAuthGrant): Promise<void>;
}

const second = 1000;

/**
 * Where oidc-provider keeps one kind of thing. What hangs on a consent is found only while that consent is in force, so
 * that a person who was disabled or left a workspace has no token of any kind from the next request on.
 */
export class OAuthAdapter implements Adapter {
  readonly #kind: string;
  readonly #host: OAuthHost;
  readonly #events: TokenEvents;

  constructor(kind: string, host: OAuthHost, events: TokenEvents) {
    this.#kind = kind;
    this.#host = host;
    this.#events = events;
  }

  /** @param expiresIn seconds; left out for what does not end by itself */
  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const { clock, randomness, file } = this.#host;
    const kind = this.#kind;
    const grantId = kind === 'Grant' ? id : (payload.grantId ?? null);
    if (kind === 'AccessToken') {
      const grant = findLiveGrant(this.#host, grantId ?? '');
      if (grant === undefined) throw new Error('An access token was to be issued without a consent in force.');
      file.oauth.keepClient(hashId('Client', grant.clientId), clock.now() + lifetimes.client * second);
    }
    const lifetime = kind === 'Client' ? lifetimes.unusedClient : expiresIn;
    file.oauth.putEntry({
      kind,
      idHash: hashId(kind, id),
      grantId: kind === 'Interaction' ? null : grantId,
      uid: kind === 'Session' ? (payload.uid ?? null) : null,
      accountId: kind === 'Session' ? (payload.accountId ?? null) : null,
      content: sealEntry(kind, id, kind === 'Client' ? hideSecret(payload) : payload, randomness),
      consumedAt: null,
      expiresAt: lifetime === undefined ? null : clock.now() + lifetime * second,
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const entry = this.#host.file.oauth.findEntry(this.#kind, hashId(this.#kind, id));
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

  /**
   * What is exchanged for tokens is used up only when it is on record that they are handed out: where that fails, the
   * client sends it again, and must not be taken for a thief then. A code is used up first and given back, since of two
   * who send it at once only one may have it; a refresh token may come from several at once in any case.
   */
  async consume(id: string): Promise<void> {
    const { file, clock } = this.#host;
    const idHash = hashId(this.#kind, id);
    if (this.#kind === 'RefreshToken') {
      await this.#recordIssue(idHash);
      file.oauth.consume(this.#kind, idHash, clock.now());
      return;
    }
    if (!file.oauth.consume(this.#kind, idHash, clock.now())) {
      const grantId = file.oauth.findEntry(this.#kind, idHash)?.grantId;
      if (typeof grantId === 'string') await this.#end(grantId);
      throw Object.assign(new Error('invalid_grant'), { expose: true, statusCode: 400 });
    }
    if (this.#kind !== 'AuthorizationCode') return;
    try {
      await this.#recordIssue(idHash);
    } catch (cause) {
      file.oauth.giveBack(this.#kind, idHash);
      throw cause;
    }
  }

  async #recordIssue(idHash: Uint8Array): Promise<void> {
    const grantId = this.#host.file.oauth.findEntry(this.#kind, idHash)?.grantId ?? '';
    try {
      const grant = findLiveGrant(this.#host, grantId);
      if (grant === undefined) throw new Error('A token was to be exchanged without a consent in force.');
      await this.#events.issued(grant);
    } catch (cause) {
      throw asUndecided(cause);
    }
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
    const { file, clock } = this.#host;
    const grant = file.oauth.findGrant(grantId);
    if (grant === undefined || grant.revokedAt !== null) return;
    file.oauth.revokeGrant(grantId, clock.now());
    await this.#events.ended(grant);
  }
}

/** In the form that the provider answers with a 503: whether a token is good cannot be said now (Authentication 11). */
function asUndecided(cause: unknown): unknown {
  const isUndecided = cause instanceof Refusal && cause.code === 'UNAVAILABLE';
  return isUndecided ? Object.assign(new Error('It cannot be decided now.', { cause }), { statusCode: 503 }) : cause;
}

/** What is kept of a client's secret; `compareSecret` compares. */
function hideSecret(payload: AdapterPayload): AdapterPayload {
  const secret = payload.client_secret;
  return secret === undefined ? payload : { ...payload, client_secret: hashClientSecret(secret) };
}

/** The form in which a client's secret is stored. */
export function hashClientSecret(secret: string): string {
  return hashId('client_secret', secret).toString('base64url');
}
