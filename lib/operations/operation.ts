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
 * What a caller must hold for an operation: a role at every one of these places. None for lists and searches, which
 * show only what is reached. Being an admin is to be approver at the root. Without it the answer is NOT_FOUND.
 */
export interface Need {
  readonly role: Role;
  readonly location: Location;
  /** What was deleted there counts too: a grant on a document outlasts its deletion. */
  readonly deleted?: boolean;
  /** It is about a folder there, of which a grant on a document that lives at the place says nothing. */
  readonly folder?: boolean;
}

/** What the audit record says beyond who, when and how it ended. */
export interface AuditNote {
  /** What it was about: a location, a query, an id. */
  readonly target?: string;
  /** The version that was read or made. */
  readonly version?: string;
  readonly documentId?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

interface Described<Input> {
  /** The action in the audit log: noun and verb, e.g. `document.read`. */
  readonly name: string;
  /** It can take more than some milliseconds of processor time: a caller has few of these under way at a time. */
  readonly isHeavy?: true;
  needs(input: Input): readonly Need[];
  /** What the record says already before the outcome is known, and when it is refused. */
  note(input: Input): AuditNote;
}

export interface ReadContext {
  readonly workspace: Workspace;
  readonly caller: Caller;
  readonly view: View;
}

export interface PrepareContext extends ReadContext {
  /** Takes the large blobs that are stored for this request; what the turn leaves of them is dropped when it is over. */
  readonly staged: StagedBlobs;
}

/** Looks and changes nothing. `run` decides everything about rights in its first synchronous stretch, through the view. */
export interface ReadOperation<Input, Result> extends Described<Input> {
  readonly kind: 'read';
  run(context: ReadContext, input: Input): Result | Promise<Result>;
  /** Adds to the note what only the result tells. */
  noteResult?(result: Result): AuditNote;
  /** Gives free what a result holds open that will not be handed out, its record having failed. */
  discard?(result: Result): void;
}

/**
 * Changes something. `prepare` does what takes time before the turn (hashing, compressing, staging); what is done in
 * the journal's turn is synchronous. The result is plain data, since it may be stored for a replay.
 */
interface DescribedWrite<Input, Result, Prepared> extends Described<Input> {
  readonly kind: 'write';
  /** What a retry needs whose answer is stored, where the write itself changed what its caller holds. Else `needs`. */
  needsAgain?(input: Input): readonly Need[];
  prepare?(context: PrepareContext, input: Input): Promise<Prepared>;
  /** Whether what was prepared is overtaken by a turn in between, and worth preparing anew. Asked in the turn. */
  isOvertaken?(context: WriteContext, input: Input, prepared: Prepared): boolean;
  noteResult?(result: Result): AuditNote;
  /** Does what the write promises outside of the workspace's file, once it is durable and before it is answered. */
  finish?(workspace: Workspace, input: Input): void;
  /**
   * What is stored for a replay, and the result made of it again, where the result itself holds what must not be kept
   * twice: a comment's text is gone when the comment is. Else the result is stored.
   */
  readonly stored?: {
    keep(result: Result): unknown;
    /** @throws Refusal NOT_FOUND when what it names is gone */
    recall(context: WriteContext, kept: unknown): Result;
  };
  /** Number of the document that a stored answer names, so that an erase takes the answer along. */
  documentNumber?(result: Result): number | null;
}

/** A write that is done in one synchronous piece. */
export interface WriteOperation<Input, Result, Prepared = undefined> extends DescribedWrite<Input, Result, Prepared> {
  readonly isLong?: undefined;
  run(context: WriteContext, input: Input, prepared: Prepared): Result;
}

/** A write of many documents at once: others read between its steps, and see nothing of it before it is done. */
export interface LongWriteOperation<Input, Result, Prepared = undefined> extends DescribedWrite<
  Input,
  Result,
  Prepared
> {
  readonly isLong: true;
  run(context: WriteContext, input: Input, prepared: Prepared): Steps<Result>;
}

/** What a change of people, sessions, links or consents may use. */
export interface ServiceContext extends Pick<ServiceTransaction, 'people' | 'oauth' | 'now'> {
  /** The name of the workspace that is asked for it. */
  readonly workspace: string;
  readonly caller: Caller;
  /** The committed state of the workspace, as the caller sees it. */
  readonly view: View;
}

/**
 * Changes people, sessions, links or consents, which stand in the service's own file. `run` is one transaction of that
 * file, and holds the audit record too: the service's journal adds it to the workspace's chain.
 */
export interface ServiceOperation<Input, Result> extends Described<Input> {
  readonly kind: 'service';
  run(context: ServiceContext, input: Input): Result;
  noteResult?(result: Result): AuditNote;
}

/** A person in one of their workspaces, whose chain records what they change. */
export interface Actor {
  readonly workspace: string;
  readonly caller: Caller;
  /** Whether the change is answered before this record is there: the workspace cannot be read just now. */
  readonly mayWait?: boolean;
}

/** What a change of a person's own sessions, password or consents may use. */
export interface OwnContext extends Pick<ServiceTransaction, 'people' | 'oauth' | 'now' | 'keepUsed'> {
  /** Records one more operation that the change implies. @param actors those of the change if left out */
  also<Input>(
    this: void,
    operation: Pick<OwnOperation<Input, unknown>, 'name' | 'note'>,
    input: Input,
    actors?: readonly Actor[],
  ): void;
}

/**
 * Changes a person's own sessions, password or consents, in the service's own file. The person needs no role for it,
 * and it is recorded in each of their workspaces.
 */
export interface OwnOperation<Input, Result> extends Pick<Described<Input>, 'name' | 'note'> {
  readonly kind: 'own';
  run(context: OwnContext, input: Input): Result;
  noteResult?(result: Result): AuditNote;
  /** False when nothing was there to change: then nothing is recorded. */
  isChange?(result: Result): boolean;
  /** The entry that was used for the first time; its use is taken back if the record cannot be added. */
  undo?(input: Input, result: Result): EntryName | undefined;
}

/** Any that is asked of a workspace. */
export type Operation<Input, Result, Prepared = undefined> =
  ReadOperation<Input, Result> | ServiceOperation<Input, Result> | AnyWrite<Input, Result, Prepared>;

/** A write of a workspace, of either kind. */
export type AnyWrite<Input, Result, Prepared = undefined> =
  WriteOperation<Input, Result, Prepared> | LongWriteOperation<Input, Result, Prepared>;

/** What the caller of a create sends so that a retry is not done twice. */
export interface Retry {
  readonly key: string;
  /** SHA-256 of everything that makes the request what it is. */
  readonly fingerprint: Uint8Array;
  /** Takes in what was not read yet of a body that counts towards the fingerprint. */
  takeRest?(): Promise<void>;
}

/** An operation's result, and whether it is the stored answer of an earlier one. */
export interface Performed<Result> {
  readonly result: Result;
  readonly replayed: boolean;
}
