import { useCallback } from 'react';
import { useAttempts } from '../../api/use-attempts.ts';
import { showProblem, showToast } from '../../design/toast.tsx';
import { discardAll, recallAll } from './discard.ts';
import { nameEntries } from './name-entries.ts';
import { keyOf, type Entry, type ListingChanges } from './browser-queries.ts';

interface DeletesOptions {
  readonly workspace: string;
  readonly location: string;
  readonly changes: ListingChanges;
  /** Asks before folders, or several things, are deleted. */
  readonly ask: (entries: readonly Entry[], isPartial: boolean) => void;
  /** Called when rows are gone. */
  readonly onGone: () => void;
}

export interface Deletes {
  /** Deletes one document at once, and asks before anything more. */
  readonly remove: (entries: readonly Entry[], isPartial?: boolean) => Promise<void>;
  /** Takes what is gone out of the list, and offers the way back. */
  readonly follow: (done: readonly Entry[]) => void;
}

/** Deletes with a way back. */
export function useDeletes({ workspace, location, changes, ask, onGone }: DeletesOptions): Deletes {
  const attempts = useAttempts();
  const follow = useCallback(
    (done: readonly Entry[]): void => {
      changes.remove(location, new Set(done.map(keyOf)));
      onGone();
      const undo = async (): Promise<void> => {
        const { refused } = await recallAll(workspace, done);
        changes.renew(location);
        if (refused[0] === undefined) showToast({ text: `${nameEntries(done)} came back.` });
        else showProblem(refused[0].error);
      };
      showToast({ text: `${nameEntries(done)} went to the trash.`, action: { label: 'Undo', run: () => void undo() } });
    },
    [workspace, location, changes, onGone],
  );
  const remove = useCallback(
    async (entries: readonly Entry[], isPartial = false): Promise<void> => {
      const [only] = entries;
      if (only === undefined) return;
      if (entries.length > 1 || only.type === 'folder' || isPartial) {
        ask(entries, isPartial);
        return;
      }
      const { done, refused } = await discardAll(workspace, entries, attempts);
      if (refused[0] !== undefined) {
        showProblem(refused[0].error);
        changes.renew(location);
      }
      if (done.length > 0) follow(done);
    },
    [workspace, location, changes, ask, follow, attempts],
  );
  return { remove, follow };
}
