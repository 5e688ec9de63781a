import type { Release } from '../limits/work-limiter.js';
import { sourceOf } from '../limits/work-limits.js';
import type { AuditEvent } from '../domain/audit-record.js';
import type { Caller } from '../domain/caller.js';
import { internal, notFound, Refusal, storageFull } from '../domain/refusal.js';
import { roleContains, type Role } from '../domain/role.js';
import { isFaultOfTheFile, isFull, refuseUndecided, toRefusal } from '../sidecar/fault.js';
import { runAtOnce, type Steps } from '../scheduling/in-steps.js';
import type { ServiceChange } from '../journal/service-journal.js';
import type { StagedBlobs } from '../journal/staging.js';
import type { WriteTransaction } from '../journal/write-transaction.js';
import type { WriteContext } from '../changes/write-context.js';
import { requireService } from './require-service.js';
import type { View } from '../view/view.js';
import type { Tables } from '../sidecar/tables.js';
import type { Workspace } from '../workspace/workspace.js';
import { isAnswered, needsOf, runIdempotently } from './idempotently.js';
import type {
  AnyWrite,
  AuditNote,
  Need,
  Operation,
  Performed,
  ReadOperation,
  Retry,
  ServiceOperation,
} from './operation.js';

/** Maximum of preparations of a write, when other transactions overtake it. */
const maxPreparations = 3;

/** The transaction's input: the prepared data, or the reason for its lack. The answer may still be a stored one. */
type Preparation<Prepared> = { readonly prepared: Prepared } | { readonly withheld: Refusal };

/**
 * The way in for every operation of every face. Nothing is answered before its record is durable, and a refusal is
 * recorded too.
 *
 * A read takes the steps of `performRead`: authorise, run, record.
 *
 * A write takes the steps of `prepareWrite`: authorise, do the slow work, wait for room. Then it takes the steps of
 * `writeInTransaction`: authorise by the grants after the transactions before it, prepare again if one of these
 * overtook it, run, record. A retry gets the first answer in place of the run.
 *
 * @param retry for creates: makes a repeated request give the first one's answer
 * @throws Refusal of any code; never anything else
 */
export function perform<Input, Result, Prepared>(
  workspace: Workspace,
  caller: Caller,
  operation: Operation<Input, Result, Prepared>,
  input: Input,
  retry?: Retry,
): Promise<Performed<Result>> {
  const work = (): Promise<Performed<Result>> => {
    if (operation.kind === 'write') return performWrite(workspace, caller, operation, input, retry);
    return operation.kind === 'read'
      ? performRead(workspace, caller, operation, input)
      : performOnService(workspace, caller, operation, input);
  };
  // Only the machine limits the operator's commands.
  const isLimited = operation.isHeavy === true && caller.interface !== 'command';
  return isLimited ? withinLimits(workspace, caller, operation, input, work) : work();
}

/**
 * Waits until the caller has little enough of such work in progress. @throws Refusal RATE_LIMITED, UNAVAILABLE,
 * recorded
 */
async function withinLimits<Input, Result>(
  workspace: Workspace,
  caller: Caller,
  operation: { readonly name: string; note(input: Input): AuditNote },
  input: Input,
  work: () => Promise<Result>,
): Promise<Result> {
  let release: Release;
  try {
    release = await workspace.workLimits.computations.take(sourceOf(workspace.name, caller));
  } catch (error) {
    throw await recordRefusal(workspace, caller, operation, input, error);
  }
  try {
    return await work();
  } finally {
    release();
  }
}

async function performRead<Input, Result>(
  workspace: Workspace,
  caller: Caller,
  operation: ReadOperation<Input, Result>,
  input: Input,
): Promise<Performed<Result>> {
  let result: Result;
  try {
    const view = decideReach(workspace, caller, () => operation.needs(input));
    const running = operation.run({ workspace, caller, view }, input);
    result = running instanceof Promise ? await running : running;
  } catch (error) {
    throw asUndecided(await recordRefusal(workspace, caller, operation, input, error), workspace.disk);
  }
  if (operation.isCovered?.(input) === true) return { result, replayed: false };
  const note = { ...operation.note(input), ...operation.noteResult?.(result) };
  try {
    await workspace.journal.write({
      isRecordOnly: true,
      run: (transaction) => transaction.audit(asDone(caller, operation.name, note)),
    });
  } catch (error) {
    operation.discard?.(result);
    throw asUndecided(error, workspace.disk);
  }
  return { result, replayed: false };
}

/**
 * Changes the service's file. The rights are those of the workspace's committed state: nothing is awaited between their
 * check and the commit of the change.
 */
async function performOnService<Input, Result>(
  workspace: Workspace,
  caller: Caller,
  operation: ServiceOperation<Input, Result>,
  input: Input,
): Promise<Performed<Result>> {
  const journal = requireService(workspace);
  let change: ServiceChange<Result>;
  try {
    const view = decideReach(workspace, caller, () => operation.needs(input));
    change = journal.change(({ people, oauth, now, record }) => {
      const result = operation.run({ people, oauth, now, workspace: workspace.name, caller, view }, input);
      const note = { ...operation.note(input), ...operation.noteResult?.(result) };
      record(workspace.name, asDone(caller, operation.name, note));
      return result;
    });
  } catch (error) {
    // After a failure of the service's file, the outcome of the change is unknown, and no refusal is recorded.
    if (error instanceof Refusal && isFaultOfTheFile(error.cause)) throw error;
    throw await recordRefusal(workspace, caller, operation, input, error);
  }
  await journal.deliver(change);
  return { result: change.result, replayed: false };
}

async function performWrite<Input, Result, Prepared>(
  workspace: Workspace,
  caller: Caller,
  operation: AnyWrite<Input, Result, Prepared>,
  input: Input,
  retry: Retry | undefined,
): Promise<Performed<Result>> {
  const staged: StagedBlobs = [];
  try {
    return await write(workspace, caller, operation, input, retry, staged);
  } finally {
    await workspace.staging.release(staged);
  }
}

async function write<Input, Result, Prepared>(
  workspace: Workspace,
  caller: Caller,
  operation: AnyWrite<Input, Result, Prepared>,
  input: Input,
  retry: Retry | undefined,
  staged: StagedBlobs,
): Promise<Performed<Result>> {
  for (let left = maxPreparations; ; left -= 1) {
    const preparation = await prepareWrite(workspace, caller, operation, input, retry, staged);
    const mayPrepareAgain = left > 1;
    const steps = (transaction: WriteTransaction): Steps<Performed<Result> | undefined> =>
      writeInTransaction(workspace, caller, operation, input, retry, { transaction, preparation, mayPrepareAgain });
    const onRefused = (transaction: WriteTransaction, refusal: Refusal): void =>
      transaction.audit(refused(caller, operation.name, operation.note(input), refusal));
    const performed =
      operation.isLong === true
        ? await workspace.journal.writeInSteps({ steps, refused: onRefused })
        : await workspace.journal.write({ run: (transaction) => runAtOnce(steps(transaction)), refused: onRefused });
    if (performed !== undefined) {
      operation.finish?.(workspace, input);
      return performed;
    }
  }
}

/** One attempt at a write: its transaction and its preparation. */
interface Attempt<Prepared> {
  readonly transaction: WriteTransaction;
  readonly preparation: Preparation<Prepared>;
  readonly mayPrepareAgain: boolean;
}

/**
 * The steps of a write in its transaction.
 * @returns undefined when the write has to be prepared again
 * @throws Refusal, which the journal records
 */
function* writeInTransaction<Input, Result, Prepared>(
  workspace: Workspace,
  caller: Caller,
  operation: AnyWrite<Input, Result, Prepared>,
  input: Input,
  retry: Retry | undefined,
  { transaction, preparation, mayPrepareAgain }: Attempt<Prepared>,
): Steps<Performed<Result> | undefined> {
  const context = workspace.openWriteContext(transaction, caller);
  const keyed = retry === undefined ? undefined : { retry, now: workspace.answerTime.now(transaction.tables) };
  authorize(context.view, needsOf(transaction.tables, caller, operation, input, keyed));
  const isReady = 'prepared' in preparation;
  if (mayPrepareAgain && isReady && operation.isOvertaken?.(context, input, preparation.prepared) === true) {
    return undefined;
  }
  function* run(): Steps<Result> {
    if (!isReady) throw preparation.withheld;
    if (operation.isLong === true) return yield* operation.run(context, input, preparation.prepared);
    return operation.run(context, input, preparation.prepared);
  }
  const done =
    keyed === undefined
      ? { result: yield* run(), replayed: false }
      : yield* runIdempotently(context, operation, keyed, run);
  recordWrite(context, caller, operation, input, done);
  return done;
}

function recordWrite<Input, Result, Prepared>(
  context: WriteContext,
  caller: Caller,
  operation: AnyWrite<Input, Result, Prepared>,
  input: Input,
  { result, replayed }: Performed<Result>,
): void {
  const extent = replayed ? undefined : operation.extentOf?.(context, input, result);
  const note = {
    ...operation.note(input),
    ...operation.noteResult?.(result),
    ...(extent === undefined ? {} : { extent }),
  };
  const detail = replayed ? { ...note.detail, replayed: true } : note.detail;
  context.transaction.audit(asDone(caller, operation.name, detail === undefined ? note : { ...note, detail }));
}

/**
 * Does the slow work. A used idempotency key skips the refusal of the new body: the first body was valid, and the
 * transaction compares the two.
 * @throws Refusal, recorded
 */
async function prepareWrite<Input, Result, Prepared>(
  workspace: Workspace,
  caller: Caller,
  operation: AnyWrite<Input, Result, Prepared>,
  input: Input,
  retry: Retry | undefined,
  staged: StagedBlobs,
): Promise<Preparation<Prepared>> {
  try {
    // Awaited before the view is made: a view holds for one turn of the event loop.
    await workspace.disk?.look();
    // Rights are checked before the transaction too, so that nothing is hashed or stored for a caller without them.
    const { journal, answerTime } = workspace;
    const keyed = retry === undefined ? undefined : { retry, now: answerTime.now(journal.reader) };
    const view = decideReach(workspace, caller, (tables) => needsOf(tables, caller, operation, input, keyed));
    let preparation: Preparation<Prepared>;
    try {
      if (operation.worksWhenLow !== true && workspace.disk?.isLow === true) throw storageFull();
      preparation = { prepared: (await operation.prepare?.({ workspace, caller, view, staged }, input)) as Prepared };
    } catch (error) {
      if (keyed === undefined || !(error instanceof Refusal)) throw error;
      if (!isAnswered(journal.reader, caller, operation, keyed.retry.key, keyed.now)) throw error;
      await keyed.retry.takeRest?.();
      preparation = { withheld: error };
    }
    await workspace.checkpointer.roomForWrites();
    await workspace.search.roomForWrites(operation.isLong);
    return preparation;
  } catch (error) {
    throw await recordRefusal(workspace, caller, operation, input, error);
  }
}

/**
 * The caller's view, once its rights are checked.
 * @throws Refusal NOT_FOUND; UNAVAILABLE when it cannot be decided (Authentication 11)
 */
function decideReach(workspace: Workspace, caller: Caller, findNeeds: (tables: Tables) => readonly Need[]): View {
  const decide = <Decided>(work: () => Decided): Decided => {
    try {
      return work();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw refuseUndecided(error, workspace.disk);
    }
  };
  const view = decide(() => workspace.view(caller));
  // A fault in the rules of an operation is no doubt about the caller's reach.
  const needs = findNeeds(view.tables);
  decide(() => authorize(view, needs));
  return view;
}

/** The caller's answer to an error. If the file cannot be read, the caller's reach in it is not known either. */
function asRefusal(error: unknown, disk: Workspace['disk']): Refusal {
  if (error instanceof Refusal) return error;
  return isFull(error) || isFaultOfTheFile(error) ? refuseUndecided(error, disk) : internal(error);
}

/**
 * Makes a read UNAVAILABLE if the file did not take its record: the caller's reach is unknown too, and a retry does no
 * harm. The outcome of a write is unknown then, so it stays INTERNAL.
 */
export function asUndecided(error: unknown, disk?: Workspace['disk']): unknown {
  const isUndecided = error instanceof Refusal && error.code === 'INTERNAL' && isFaultOfTheFile(error.cause);
  return isUndecided ? refuseUndecided(error.cause, disk) : error;
}

/** @throws Refusal NOT_FOUND when a role is lacking anywhere: the same as for an empty place */
function authorize(view: View, needs: readonly Need[]): void {
  for (const need of needs) {
    if (!roleContains(roleFor(view, need), need.role)) throw notFound();
  }
}

function roleFor(view: View, { location, deleted, folder }: Need): Role | undefined {
  if (folder === true) return view.reach.roleIn(location);
  return deleted === true ? view.roleAtDeleted(location) : view.roleAt(location);
}

/** Records the refusal durably and returns the error to throw. */
export async function recordRefusal<Input>(
  workspace: Workspace,
  caller: Caller,
  operation: { readonly name: string; note(input: Input): AuditNote },
  input: Input,
  error: unknown,
): Promise<Refusal> {
  const refusal = asRefusal(error, workspace.disk);
  // Without a decision on reach, the file is out of order and could not keep the record either.
  if (refusal.code === 'UNAVAILABLE' && refusal.cause !== undefined) return refusal;
  try {
    await workspace.journal.write({
      isRecordOnly: true,
      run: (transaction) => transaction.audit(refused(caller, operation.name, operation.note(input), refusal)),
    });
  } catch (fault) {
    return toRefusal(fault);
  }
  return refusal;
}

/** The action of a request that names no operation: an unknown path, method or tool, or an invalid message. */
export const unknownRequest = 'request.make';

/**
 * For the faces: records an unreadable request with a key, refused before it reached an operation, like any other
 * refusal. The rate limit holds back a flood of them, as of all requests with a key.
 * @param action the operation's name, or `unknownRequest`
 * @returns the error to throw
 */
export function refuseUnread(
  workspace: Workspace,
  caller: Caller,
  action: string,
  note: AuditNote,
  error: unknown,
): Promise<Refusal> {
  return recordRefusal(workspace, caller, { name: action, note: () => note }, undefined, error);
}

function eventOf(caller: Caller, action: string, note: AuditNote): Omit<AuditEvent, 'outcome'> {
  return {
    principal: caller.principalId,
    credential: caller.credentialId,
    interface: caller.interface,
    action,
    requestId: caller.requestId,
    target: note.target,
    version: note.version,
    documentId: note.documentId,
    extent: note.extent,
    detail: note.detail,
  };
}

export function asDone(caller: Caller, action: string, note: AuditNote): AuditEvent {
  return { ...eventOf(caller, action, note), outcome: 'done' };
}

function refused(caller: Caller, action: string, note: AuditNote, refusal: Refusal): AuditEvent {
  const { version: _, extent: _extent, ...rest } = note;
  const detail = refusal.details === undefined ? rest.detail : { ...rest.detail, reason: refusal.details.reason };
  return {
    ...eventOf(caller, action, detail === undefined ? rest : { ...rest, detail }),
    outcome: 'refused',
    code: refusal.code,
  };
}
