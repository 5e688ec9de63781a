import { useState, type ReactNode } from 'react';
import { asProblem } from '../../api/problem.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Notice } from '../../design/notice.tsx';
import { discardAll, type Outcome } from './discard.ts';
import { nameEntries } from './name-entries.ts';
import { locationOf, type Entry } from './browser-queries.ts';

/** Asks before folders or many documents are deleted, shows the progress, and says what was not deleted and why. */
export function DeleteDialog({
  workspace,
  entries,
  isPartial,
  onDone,
  onClose,
}: {
  workspace: string;
  entries: readonly Entry[];
  /** Whether more was selected than the person can delete. */
  isPartial: boolean;
  /** Called after each try, with what was deleted by it. */
  onDone: (outcome: Outcome) => void;
  onClose: () => void;
}): ReactNode {
  const [progress, setProgress] = useState<number>();
  const [refused, setRefused] = useState<Outcome['refused']>([]);
  const attempts = useAttempts();
  const isRunning = progress !== undefined && refused.length === 0;
  const run = async (due: readonly Entry[]): Promise<void> => {
    setProgress(0);
    setRefused([]);
    const outcome = await discardAll(workspace, due, attempts, setProgress);
    onDone(outcome);
    if (outcome.refused.length === 0) onClose();
    else setRefused(outcome.refused);
  };
  const what = nameEntries(entries);
  if (refused.length > 0) {
    return (
      <Dialog
        title="Some were not deleted"
        onClose={onClose}
        footer={
          <>
            <Button onClick={onClose}>Close</Button>
            <Button look="danger" onClick={() => void run(entries.filter(isAmong(refused)))}>
              Try again
            </Button>
          </>
        }
      >
        <Notice tone="warning" isUrgent title="These may still be there:">
          <ul className="stack">
            {refused.slice(0, 50).map(({ location, error }) => (
              <li key={location}>
                <bdi>{location}</bdi>: {asProblem(error).sentence}
              </li>
            ))}
          </ul>
        </Notice>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={`Delete ${what}?`}
      onClose={onClose}
      isDismissible={!isRunning}
      footer={
        <>
          <Button onClick={onClose} disabled={isRunning}>
            Cancel
          </Button>
          <Button look="danger" isPending={isRunning} onClick={() => void run(entries)}>
            Delete {what}
          </Button>
        </>
      }
    >
      <p>
        {entries.some(({ type }) => type === 'folder') && 'A folder goes with everything in it. '}
        Nothing is lost: all of it goes to the trash, from where you can bring it back.
      </p>
      {isPartial && <p>Other selected rows stay: you cannot delete them, or another principal has claimed them.</p>}
      {isRunning && entries.length > 1 && (
        <progress className="bar" max={entries.length} value={progress} aria-label="Deleting" />
      )}
    </Dialog>
  );
}

const isAmong =
  (refused: Outcome['refused']) =>
  (entry: Entry): boolean =>
    refused.some(({ location }) => location === locationOf(entry));
