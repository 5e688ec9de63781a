import type { AuditedWorkspace } from './deferred-audit.js';
import type { ServiceJournal } from './service-journal.js';
import type { WriteTransaction } from './write-transaction.js';
import type { Tables } from '../sidecar/tables.js';

/*
 * A principal is disabled in the workspace's file, and its sessions, links and consents stand in the service's file. The
 * transaction that disables it also notes that they have to end. They end right after; the note is then taken away.
 * Where the process ends in between, the note is found when the workspace is opened.
 */

interface Note {
  readonly principalId: string;
  /** When the principal was disabled; milliseconds since 1970. */
  readonly at: number;
}

const notesName = 'ending_sign_ins';

function readNotes(tables: Tables): Note[] {
  return JSON.parse(tables.meta.get(notesName) ?? '[]') as Note[];
}

/** Notes, in the transaction that disables a principal, the end of its sign-ins. */
export function noteEnding({ tables, now }: WriteTransaction, principalId: string): void {
  const others = readNotes(tables).filter((each) => each.principalId !== principalId);
  tables.meta.set(notesName, JSON.stringify([...others, { principalId, at: now }]));
}

/**
 * Ends the sign-ins of a principal disabled just now. Without a note of its end there is nothing to do.
 * @throws Refusal INTERNAL when the service's file failed; they end later then
 */
export function endSignIns(workspace: AuditedWorkspace, journal: ServiceJournal, principalId: string): void {
  const { name } = workspace;
  const notes = readNotes(workspace.journal.reader).filter((each) => each.principalId === principalId);
  if (notes.length === 0) return;
  journal.change(({ people, now }) => people.signIns.end(name, principalId, now));
  void removeNotes(workspace, notes);
}

/**
 * Ends the sign-ins left by an earlier request or process. Sign-ins after the disabling stay: the note may be a
 * leftover.
 * @throws Refusal INTERNAL when the service's file failed
 */
export async function endLeftSignIns(workspace: AuditedWorkspace, journal: ServiceJournal): Promise<void> {
  const notes = readNotes(workspace.journal.reader);
  if (notes.length === 0) return;
  const { name } = workspace;
  journal.change(({ people, now }) => {
    for (const { principalId, at } of notes) people.signIns.end(name, principalId, now, at);
  });
  await removeNotes(workspace, notes);
}

/** Never throws: a remaining note is found again, and changes nothing then. */
async function removeNotes({ journal }: AuditedWorkspace, notes: readonly Note[]): Promise<void> {
  const isDone = (note: Note): boolean =>
    notes.some(({ principalId, at }) => principalId === note.principalId && at === note.at);
  await journal
    .write({
      isRecordOnly: true,
      run: ({ tables }) =>
        tables.meta.set(notesName, JSON.stringify(readNotes(tables).filter((note) => !isDone(note)))),
    })
    .catch(() => undefined);
}
