import type { Reach } from '../../view/reach.js';
import type { Caller } from '../../domain/caller.js';
import { rootLocation } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { WorkspaceState } from '../../journal/write-transaction.js';
import { roleContains } from '../../domain/role.js';
import { findDocumentById } from '../../view/locate.js';
import type { View } from '../../view/view.js';
import { ReachWatch } from '../../workspace/watch-reach.js';
import type { Workspace } from '../../workspace/workspace.js';

const oneSecond = 1000;

/** Checks while a repository is sent that its caller may still have all of it. */
export class RepositoryWatch {
  readonly #workspace: Workspace;
  readonly #caller: Caller;
  readonly #key: ReachWatch;
  readonly #first: Reach;
  #stamp: number;
  /** The workspace's state at the last look, and when that was. */
  #seen: WorkspaceState | undefined;
  #seenAt = 0;

  /** Call it when the caller's reach has just been checked. @throws Refusal UNAVAILABLE */
  constructor(workspace: Workspace, caller: Caller) {
    this.#workspace = workspace;
    this.#caller = caller;
    this.#key = new ReachWatch(workspace, caller);
    this.#first = workspace.view(caller).reach;
    this.#stamp = workspace.journal.sidecar.reachStamp;
  }

  /**
   * Requires that the key is still valid, and that the caller may still read wherever it could at first. It looks again
   * after every write, and otherwise once a second, when a key may run out.
   * @throws Refusal UNAUTHENTICATED, NOT_FOUND; UNAVAILABLE when that cannot be decided
   */
  requireAll(): void {
    const { state } = this.#workspace.journal;
    const now = this.#workspace.clock.elapsed();
    if (state === this.#seen && now - this.#seenAt < oneSecond) return;
    this.#key.requireInForce();
    this.#seen = state;
    this.#seenAt = now;
    const stamp = this.#workspace.journal.sidecar.reachStamp;
    if (stamp === this.#stamp) return;
    if (!this.#isNoLess(this.#workspace.view(this.#caller))) throw notFound();
    this.#stamp = stamp;
  }

  #isNoLess({ reach, tables }: View): boolean {
    // Only an approver of the root gets everything that ever was.
    if (this.#first.holds('approver', rootLocation) && !reach.holds('approver', rootLocation)) return false;
    if (!this.#first.folders.every((folder) => reach.holds('reader', folder))) return false;
    return this.#first.documentIds.every((id) => {
      const place = findDocumentById(tables, id)?.location ?? rootLocation;
      return roleContains(reach.roleOn(id, place), 'reader');
    });
  }
}
