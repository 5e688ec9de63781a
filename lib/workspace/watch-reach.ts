import type { Caller } from '../domain/caller.js';
import type { Document } from '../domain/document.js';
import { notFound, unauthenticated } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import { findDocumentById } from '../view/locate.js';
import type { Workspace } from './workspace.js';

/** A document, and where it was when the caller was found to reach it. */
export type Watched = Pick<Document, 'id' | 'number' | 'location'>;

/**
 * Watches whether a caller may still have what it is being handed: for what takes longer than one answer, since a
 * revocation is in force at once. As long as nobody has written anything it costs a look at the key.
 */
export class ReachWatch {
  readonly #workspace: Workspace;
  readonly #caller: Caller;
  /** Of the key's secret; undefined for whoever came by something else than a key. */
  readonly #secretHash: Buffer | undefined;
  readonly #stampAtFirst: string;

  /** To be made when the caller has just been found to reach what it asks for. @throws Refusal UNAVAILABLE */
  constructor(workspace: Workspace, caller: Caller) {
    this.#workspace = workspace;
    this.#caller = caller;
    const hash = this.#findKey()?.secretHash;
    this.#secretHash = hash === undefined ? undefined : Buffer.from(hash);
    this.#stampAtFirst = this.#stamp;
  }

  /**
   * Sees that the key still opens, and that the document is still the caller's to read: where it is now, or where it was,
   * since a rename takes nothing away that the caller had in the state that is handed out. One that is being erased is
   * nobody's.
   * @throws Refusal UNAUTHENTICATED, NOT_FOUND; UNAVAILABLE when that cannot be decided
   */
  requireReadable({ id, number, location }: Watched): void {
    this.#requireKey();
    if (this.#stamp === this.#stampAtFirst) return;
    const { tables, reach } = this.#workspace.view(this.#caller);
    const place = findDocumentById(tables, id)?.location ?? tables.documents.deleted(number)?.location;
    const isRead = (where: Watched['location']): boolean => roleContains(reach.roleOn(id, where), 'reader');
    if (place === undefined || !(isRead(place) || isRead(location))) throw notFound();
  }

  /** Changes with everything that a reach or a document's place hangs on. */
  get #stamp(): string {
    const { journal } = this.#workspace;
    return `${journal.sidecar.reachStamp} ${journal.contentStamp}`;
  }

  #findKey() {
    const { credentialId } = this.#caller;
    return credentialId === null ? undefined : this.#workspace.journal.reader.credentials.find(credentialId);
  }

  #requireKey(): void {
    if (this.#secretHash === undefined) return;
    const key = this.#findKey();
    const isOpen =
      key !== undefined &&
      key.revokedAt === null &&
      (key.expiresAt === null || key.expiresAt > this.#workspace.clock.now()) &&
      this.#secretHash.equals(key.secretHash);
    if (!isOpen) throw unauthenticated();
  }
}
