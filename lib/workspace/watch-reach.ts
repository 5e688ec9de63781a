import type { Caller } from '../domain/caller.js';
import type { Document } from '../domain/document.js';
import { rootLocation } from '../domain/location.js';
import { notFound, unauthenticated } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import { findDocumentById } from '../view/locate.js';
import type { Workspace } from './workspace.js';

/** A document, and its location when the caller's reach was checked. */
export type Watched = Pick<Document, 'id' | 'number' | 'location'>;

/**
 * Checks during a long answer that the caller still has access to the document. An answer at once is not enough,
 * because a revocation is in force at once. Without writes, a check costs a look at the key.
 */
export class ReachWatch {
  readonly #workspace: Workspace;
  readonly #caller: Caller;
  /** Of the key's secret. Undefined for a caller without a key. */
  readonly #secretHash: Buffer | undefined;
  readonly #stampAtFirst: string;

  /** Call it when the caller's reach has just been checked. @throws Refusal UNAVAILABLE */
  constructor(workspace: Workspace, caller: Caller) {
    this.#workspace = workspace;
    this.#caller = caller;
    const hash = this.#findKey()?.secretHash;
    this.#secretHash = hash === undefined ? undefined : Buffer.from(hash);
    this.#stampAtFirst = this.#stamp;
  }

  /**
   * Requires that the key or session is still valid, and that the caller may still read the document. Its present or its first
   * location counts, because a rename does not take away the state being sent. No caller may read a document being
   * erased.
   * @throws Refusal UNAUTHENTICATED, NOT_FOUND; UNAVAILABLE when that cannot be decided
   */
  requireReadable({ id, number, location }: Watched): void {
    this.requireInForce();
    if (this.#stamp === this.#stampAtFirst) return;
    const { tables, reach } = this.#workspace.view(this.#caller);
    const place = findDocumentById(tables, id)?.location ?? tables.documents.deleted(number)?.location;
    const isRead = (where: Watched['location']): boolean => roleContains(reach.roleOn(id, where), 'reader');
    if (place === undefined || !(isRead(place) || isRead(location))) throw notFound();
  }

  /** Requires that the caller is still an admin, with a valid key or session. @throws Refusal as `requireReadable` does */
  requireAdmin(): void {
    this.requireInForce();
    if (this.#stamp === this.#stampAtFirst) return;
    if (!this.#workspace.view(this.#caller).reach.holds('approver', rootLocation)) throw notFound();
  }

  /** Requires that the caller's key, or session, is still valid. @throws Refusal UNAUTHENTICATED, UNAVAILABLE */
  requireInForce(): void {
    const { sessionId } = this.#caller;
    if (sessionId !== undefined && !this.#workspace.origin.isSignedIn(sessionId)) throw unauthenticated();
    if (this.#secretHash === undefined) return;
    const key = this.#findKey();
    const isOpen =
      key !== undefined &&
      key.revokedAt === null &&
      (key.expiresAt === null || key.expiresAt > this.#workspace.clock.now()) &&
      this.#secretHash.equals(key.secretHash);
    if (!isOpen) throw unauthenticated();
  }

  /** Changes whenever a reach or a document's place may have changed. */
  get #stamp(): string {
    const { journal } = this.#workspace;
    return `${journal.sidecar.reachStamp} ${journal.contentStamp}`;
  }

  #findKey() {
    const { credentialId } = this.#caller;
    return credentialId === null ? undefined : this.#workspace.journal.reader.credentials.find(credentialId);
  }
}
