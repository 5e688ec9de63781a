import type { Oid } from '../git/objects/objects.js';

/** A folder for what one push sends. No other request sees it. */
export interface Quarantine {
  /** Empty at first, and closed to other accounts. */
  readonly folder: string;
  /** Aborted with a Refusal when the push has to end. */
  readonly signal: AbortSignal;
  /**
   * To be called before bytes are written into the folder.
   * @throws Refusal UNAVAILABLE when all open pushes of the workspace have sent too much
   */
  take(bytes: number): void;
  /** To be called at any end of the push, when no process works in the folder. May be called twice. */
  drop(): Promise<void>;
}

/** A push as it is announced. */
export interface PushToAnnounce {
  readonly head: Oid;
  /** A head that the repository had in this life, on which they were pushed. Null while it was empty. */
  readonly onto: Oid | null;
  /** Names of its packs in `objects/pack` of the quarantine. */
  readonly packs: readonly string[];
  /**
   * Whether its commits may become those of the derived repository. They do where it still has the head that they were
   * pushed onto. Else the next fetch has commits made for them.
   */
  readonly isKept: boolean;
}

/** A push whose transaction is about to run. Nothing else happens to the principal's repository meanwhile. */
export interface AnnouncedPush {
  /**
   * To be called when the transaction has ended, however it ended. If the push was recorded, its commits become the
   * head of the derived repository; otherwise they go.
   * @returns the head of the repository now
   */
  settle(): Promise<Oid | null>;
}
