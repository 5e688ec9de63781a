import type { ServiceJournal } from '../journal/service-journal.js';
import type { Actor, AuditNote, OwnOperation } from './operation.js';
import { asDone, asUndecided } from './perform.js';

interface Recorded {
  readonly name: string;
  readonly note: AuditNote;
  readonly actors: readonly Actor[];
}

/**
 * The way in for people's changes of their own, beside `perform`. It runs one transaction of the service's file, adds a
 * record in each of their workspaces, and answers.
 *
 * @param actors the person, in each workspace that records it
 * @throws Refusal of any code; the operation's errors
 */
export async function performOwn<Input, Result>(
  journal: ServiceJournal,
  actors: readonly Actor[],
  operation: OwnOperation<Input, Result>,
  input: Input,
): Promise<Result> {
  const change = journal.change(({ people, oauth, now, keepUsed, record }) => {
    const implied: Recorded[] = [];
    const result = operation.run(
      {
        people,
        oauth,
        now,
        keepUsed,
        also: ({ name, note }, of, others = actors) => void implied.push({ name, note: note(of), actors: others }),
      },
      input,
    );
    if (operation.isChange?.(result) === false) return result;
    const note = { ...operation.note(input), ...operation.noteResult?.(result) };
    const undo = operation.undo?.(input, result);
    for (const each of [{ name: operation.name, note, actors }, ...implied]) {
      for (const { workspace, caller, mayWait } of each.actors) {
        record(workspace, asDone(caller, each.name, each.note), { mayWait, undo });
      }
    }
    return result;
  });
  try {
    await journal.deliver(change);
  } catch (error) {
    throw asUndecided(error);
  }
  return change.result;
}
