import type { Caller } from '../domain/caller.js';
import { Refusal } from '../domain/refusal.js';
import type { Workspace } from '../workspace/workspace.js';
import type { AuditNote } from './operation.js';
import { asDone, recordRefusal } from './perform.js';

/** How a long answer ended. */
export interface EndOfAnswer {
  /** The audit log's action for the end, however it came. */
  readonly action: string;
  /** Of what was answered, and how much of it was sent. */
  readonly note: AuditNote;
  /** Whether everything was sent that there was to send. */
  readonly isComplete: boolean;
  /** What ended it. Left out: its reader, the service, or its completion. */
  readonly fault?: unknown;
}

/**
 * Records the end of an answer whose own record was written at its beginning: an export, a fetch, a stream. Both records
 * have the id of the request. It waits for nothing, because the answer is over: a record that cannot be written is
 * reported as a fault.
 */
export function recordEnd(
  { workspace, caller }: { readonly workspace: Workspace; readonly caller: Caller },
  { action, note, isComplete, fault }: EndOfAnswer,
): void {
  const told = isComplete ? note : { ...note, detail: { ...note.detail, broken_off: true } };
  if (fault !== undefined) {
    if (!(fault instanceof Refusal)) workspace.onFault('A long answer failed', fault);
    void recordRefusal(workspace, caller, { name: action, note: () => told }, undefined, fault);
    return;
  }
  workspace.journal
    .write({ isRecordOnly: true, run: (transaction) => transaction.audit(asDone(caller, action, told)) })
    .catch((cause: unknown) => workspace.onFault('The end of a long answer could not be recorded', cause));
}
