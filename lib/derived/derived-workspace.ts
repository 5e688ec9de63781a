import type { WorkLimits } from '../limits/work-limits.js';
import type { DiskRoom } from '../disk/disk-room.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { Repository } from '../git/repositories/repository.js';
import type { Checkpointer } from '../journal/checkpoint.js';
import type { Journal } from '../journal/journal.js';

/** The parts of a workspace that derived repositories are made from. */
export interface DerivedWorkspace {
  readonly name: string;
  readonly journal: Journal;
  readonly repository: Repository;
  readonly checkpointer: Checkpointer;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly workLimits: WorkLimits;
  readonly disk: DiskRoom | null;
  /** Receives each fault that the service survives, for the log. */
  onFault(this: void, what: string, cause: unknown): void;
}

/** Where derived repositories lie, and what they are made from. */
export interface DerivedFiles {
  /** The folder that holds them. */
  readonly folder: string;
  /** The workspace's sidecar. */
  readonly sidecar: string;
  /** Bytes that all of them may take. Beyond, those go that were not used for longest. */
  readonly budget: number;
}
