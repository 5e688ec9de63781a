import type { AuditExtent } from '../domain/audit-record.js';
import type { Caller } from '../domain/caller.js';
import type { Location } from '../domain/location.js';
import type { Role } from '../domain/role.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { WriteContext } from '../changes/write-context.js';
import type { ServiceTransaction } from '../journal/service-journal.js';
import type { StagedBlobs } from '../journal/staging.js';
import type { EntryName } from '../sidecar/tables/pending-record-table.js';
import type { View } from '../view/view.js';
import type { Workspace } from '../workspace/workspace.js';

/**
 * A caller's needs for an operation: a role at every one of these places. Lists and searches need none, because they
 * show only the caller's reach. An admin is an approver at the root. Without the role the answer is NOT_FOUND.
 */
export interface Need {
  readonly role: Role;
  readonly location: Location;
  /** Deleted documents there count too: a grant on a document outlasts its deletion. */
  readonly deleted?: boolean;
  /** The operation is about a folder there. A grant on a live document at the place does not count. */
  readonly folder?: boolean;
}

/** The audit record's content beyond principal, time and outcome. */
export interface AuditNote {
  /** Its target: a location, a query, an id. */
  readonly target?: string;
  /** The version read or made. */
  readonly version?: string;
  readonly documentId?: string;
  /** What was given out or changed, where that is more than one document. A refusal has none. */
  readonly extent?: AuditExtent;
  readonly detail?: Readonly<Record<string, unknown>>;
}

interface Described<Input> {
  /** The action in the audit log: noun and verb, e.g. `document.read`. */
  readonly name: string;
  /** It can take more than some milliseconds of processor time. A caller may run few of these at a time. */
  readonly isHeavy?: true;
  needs(input: Input): readonly Need[];
  /** The record's content before the outcome is known, and for a refusal. */
  note(input: Input): AuditNote;
}

export interface ReadContext {
  readonly workspace: Workspace;
  readonly caller: Caller;
  readonly view: View;
}

export interface PrepareContext extends ReadContext {
  /** Takes the large blobs stored for this request. Those unused by the transaction are dropped afterwards. */
  readonly staged: StagedBlobs;
}

/** Reads and changes nothing. `run` decides everything about rights in its first synchronous part, through the view. */
export interface ReadOperation<Input, Result> extends Described<Input> {
  readonly kind: 'read';
  run(context: ReadContext, input: Input): Result | Promise<Result>;
  /** Adds to the note the facts from the result. */
  noteResult?(result: Result): AuditNote;
  /** Whether the record of a page that the caller has just opened says this already. A refusal is recorded all the same. */
  isCovered?(input: Input): boolean;
  /** Releases resources held by a result that is not returned, because its record failed. */
  discard?(result: Result): void;
}

/**
 * Changes something. `prepare` does slow work before the transaction (hashing, compressing, staging). The work in the
 * journal's transaction is synchronous. The result is plain data, since it may be stored for a replay.
 */
interface DescribedWrite<Input, Result, Prepared> extends Described<Input> {
  readonly kind: 'write';
  /** What it gave out or changed, where that is more than one document. Read after it has run. */
  extentOf?(context: WriteContext, input: Input, result: Result): AuditExtent | undefined;
  /**
   * It goes on when the disk is low: it takes away access or content, or is a read that notes something. Other writes
   * are refused then.
   */
  readonly worksWhenLow?: true;
  /** Needs of a retry with a stored answer, if the write itself changed its caller's rights. Otherwise `needs`. */
  needsAgain?(input: Input): readonly Need[];
  prepare?(context: PrepareContext, input: Input): Promise<Prepared>;
  /**
   * Whether another transaction overtook the preparation, and preparing again is worthwhile. Called in the transaction.
   */
  isOvertaken?(context: WriteContext, input: Input, prepared: Prepared): boolean;
  noteResult?(result: Result): AuditNote;
  /** Finishes the write's work outside of the workspace's file, after it is durable and before it is answered. */
  finish?(workspace: Workspace, input: Input): void;
  /**
   * What is stored for a replay, and how it becomes the result again. For results with data that must not be kept
   * twice: a comment's text is gone when the comment is. Otherwise the result is stored.
   */
  readonly stored?: {
    keep(result: Result): unknown;
    /** @throws Refusal NOT_FOUND when its subject is gone */
    recall(context: WriteContext, kept: unknown): Result;
  };
  /** Number of the document in a stored answer, so that an erase removes the answer too. */
  documentNumber?(result: Result): number | null;
}

/** A write in one synchronous piece. */
export interface WriteOperation<Input, Result, Prepared = undefined> extends DescribedWrite<Input, Result, Prepared> {
  readonly isLong?: undefined;
  run(context: WriteContext, input: Input, prepared: Prepared): Result;
}

/** A write of many documents at once. Others read between its steps, and see nothing of it before its end. */
export interface LongWriteOperation<Input, Result, Prepared = undefined> extends DescribedWrite<
  Input,
  Result,
  Prepared
> {
  readonly isLong: true;
  run(context: WriteContext, input: Input, prepared: Prepared): Steps<Result>;
}

/** The means of a change of people, sessions, links or consents. */
export interface ServiceContext extends Pick<ServiceTransaction, 'people' | 'oauth' | 'now'> {
  /** The name of the workspace that got the request. */
  readonly workspace: string;
  readonly caller: Caller;
  /** The committed state of the workspace, as the caller sees it. */
  readonly view: View;
}

/**
 * Changes people, sessions, links or consents in the service's own file. `run` is one transaction of that file, and
 * holds the audit record too: the service's journal adds it to the workspace's chain.
 */
export interface ServiceOperation<Input, Result> extends Described<Input> {
  readonly kind: 'service';
  run(context: ServiceContext, input: Input): Result;
  noteResult?(result: Result): AuditNote;
}

/** A person in one of their workspaces, whose chain records their changes. */
export interface Actor {
  readonly workspace: string;
  readonly caller: Caller;
  /** Whether the answer can come before this record is written, because the workspace cannot be read just now. */
  readonly mayWait?: boolean;
}

/** The means of a change of a person's own sessions, password or consents. */
export interface OwnContext extends Pick<ServiceTransaction, 'people' | 'oauth' | 'now' | 'keepUsed'> {
  /** Records one more operation implied by the change. @param actors left out: those of the change */
  also<Input>(
    this: void,
    operation: Pick<OwnOperation<Input, unknown>, 'name' | 'note'>,
    input: Input,
    actors?: readonly Actor[],
  ): void;
}

/**
 * Changes a person's own sessions, password or consents, in the service's own file. The person needs no role for it,
 * and each of their workspaces records it.
 */
export interface OwnOperation<Input, Result> extends Pick<Described<Input>, 'name' | 'note'> {
  readonly kind: 'own';
  run(context: OwnContext, input: Input): Result;
  noteResult?(result: Result): AuditNote;
  /** False when there was nothing to change. Then nothing is recorded. */
  isChange?(result: Result): boolean;
  /** The entry used for the first time. Its use is undone if the record cannot be added. */
  undo?(input: Input, result: Result): EntryName | undefined;
}

/** Any operation of a workspace. */
export type Operation<Input, Result, Prepared = undefined> =
  ReadOperation<Input, Result> | ServiceOperation<Input, Result> | AnyWrite<Input, Result, Prepared>;

/** A write of a workspace, of either kind. */
export type AnyWrite<Input, Result, Prepared = undefined> =
  WriteOperation<Input, Result, Prepared> | LongWriteOperation<Input, Result, Prepared>;

/** A create's idempotency key, so that a retry does not run twice. */
export interface Retry {
  readonly key: string;
  /** SHA-256 of everything that identifies the request. */
  readonly fingerprint: Uint8Array;
  /** Reads the rest of a body that counts towards the fingerprint. */
  takeRest?(): Promise<void>;
}

/** An operation's result, and whether it is the stored answer of an earlier one. */
export interface Performed<Result> {
  readonly result: Result;
  readonly replayed: boolean;
}
