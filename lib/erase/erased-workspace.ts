import type { ContentStages } from '../changes/content-stages.js';
import type { SearchKeeper } from '../indexing/search-keeper.js';
import type { Copies } from '../journal/copies.js';
import type { Checkpointer } from '../journal/checkpoint.js';
import type { Journal } from '../journal/journal.js';
import type { Maintainer } from '../journal/maintain.js';
import type { Snapshots } from '../journal/snapshots.js';
import type { Staging } from '../journal/staging.js';
import type { Uploads } from '../journal/upload-guards.js';
import type { LetGoOptions, Repository } from '../git/repositories/repository.js';

/** The parts of a workspace from which an erase removes a document. */
export interface ErasedWorkspace {
  readonly name: string;
  readonly journal: Journal;
  readonly repository: Repository;
  readonly checkpointer: Checkpointer;
  readonly maintainer: Maintainer;
  readonly staging: Staging;
  readonly uploads: Uploads;
  readonly stages: ContentStages;
  readonly snapshots: Snapshots;
  readonly connectors: {
    /** Ends a connector's run under way, and deletes what is stored of its source between runs. */
    forgetCopy(connectorId: string): Promise<void>;
    /** Runs work during which no run of these connectors begins. */
    withoutRuns<Result>(connectorIds: readonly string[], work: () => Promise<Result>): Promise<Result>;
  };
  readonly webhooks: {
    /** Ends the sending of messages about these documents. */
    breakOff(documentIds: readonly string[]): Promise<void>;
  };
  /** What git clients read. */
  readonly derived: {
    /** Ends what reads or makes a derived repository with one of these documents, and destroys those repositories. */
    forget(documentIds: readonly string[]): Promise<void>;
    /** Resolves when nothing that git clients began reads a removed file of the repository any more. */
    letGo(options: LetGoOptions): Promise<void>;
    /** Takes note that no pack has the content of these erases any more, by their numbers. */
    noteSwept(erasures: readonly number[]): void;
    /** Runs work while no snapshot is held for a derived repository. */
    keepOut<Result>(work: () => Promise<Result>): Promise<Result>;
  };
  readonly search: SearchKeeper;
  /** Where copies are kept elsewhere; undefined for nowhere. */
  readonly copies: Copies | undefined;
  /** Milliseconds for which a slow reader may keep a file that the erase removes. */
  readonly readersGrace: number;
  /** Resolves when the search index includes the whole history, or has failed. */
  searchCaughtUp(): Promise<void>;
  /** Drops all documents and their content from memory. */
  forgetContent(): void;
  /** Receives each fault that the service survives, for the log. */
  onFault(this: void, what: string, cause: unknown): void;
}
