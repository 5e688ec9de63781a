/** How far an erase is: hidden at once; out of the history; destroyed for good. */
export type ErasurePhase = 'accepted' | 'moved' | 'final';

/** The remains of an erase: plain data about what was destroyed, never its name. */
export interface Erasure {
  readonly id: string;
  readonly phase: ErasurePhase;
  /** Id of the requesting principal. */
  readonly requestedBy: string;
  /** Milliseconds since 1970: when it was hidden. */
  readonly requestedAt: number;
  readonly versions: number;
  readonly comments: number;
  /** Of all its versions. */
  readonly bytes: number;
  /** The obstacle and its remedy, or what it waits for; null where none is known. It names nothing either. */
  readonly hindrance: string | null;
  /** Milliseconds since 1970; null while something of it may still lie in a file. */
  readonly finalAt: number | null;
}
