/** How far an erase is: hidden at once; out of the history; destroyed for good. */
export type ErasurePhase = 'accepted' | 'moved' | 'final';

/** What an erase leaves: plain data that says what was destroyed, and never what it was called. */
export interface Erasure {
  readonly id: string;
  readonly phase: ErasurePhase;
  /** Id of the principal who asked for it. */
  readonly requestedBy: string;
  /** Milliseconds since 1970: when it was hidden. */
  readonly requestedAt: number;
  readonly versions: number;
  readonly comments: number;
  /** Of all its versions. */
  readonly bytes: number;
  /** What stands against it for good, and the remedy; null where nothing is known to. It names nothing either. */
  readonly hindrance: string | null;
  /** Milliseconds since 1970; null while something of it may still lie in a file. */
  readonly finalAt: number | null;
}
