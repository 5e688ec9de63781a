import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { announce } from '../../design/announce.tsx';
import { showToast } from '../../design/toast.tsx';
import { folderOf, nameOf } from '../../navigation/addresses.ts';
import type { Movable } from './send-relocation.ts';
import { ReportDialog } from './report.tsx';
import { ResultsDialog } from './results.tsx';
import { undo, type Relocated } from './undo.ts';
import type { Attempt, Relocating } from './use-relocating.ts';

interface RelocationStepsProps {
  readonly workspace: string;
  readonly items: readonly Movable[];
  readonly relocating: Relocating;
  readonly onClose: () => void;
  readonly onDone: ((relocated: readonly Relocated[]) => void) | undefined;
  /** The dialog that asks what to do. */
  readonly children: ReactNode;
}

/**
 * Takes a rename or move through its steps: what to do, the report of who gains access, what was done. When all is done
 * and no one lost access, it closes with a message that offers the way back.
 */
export function RelocationSteps(props: RelocationStepsProps): ReactNode {
  const { workspace, items, relocating, onClose, onDone, children } = props;
  const { attempts, isRunning, acknowledge, leave } = relocating;
  const queries = useQueryClient();
  const isTold = useRef(false);
  const asking = attempts.filter(({ outcome }) => outcome?.state === 'widens');
  const isOver = attempts.length > 0 && !isRunning && asking.length === 0;
  const done = attempts.flatMap(toRelocated);
  const isOneRefused = attempts.length === 1 && attempts[0]?.outcome?.state === 'refused';
  const isOneLeft = attempts.length === 1 && attempts[0]?.outcome?.state === 'left';
  const isSmooth = attempts.every(({ outcome }) => outcome?.state === 'done' && outcome.losses.length === 0);

  const finish = (relocated: readonly Relocated[]): void => {
    onDone?.(relocated);
    // The page of the old place is left first: asked again, it would not be found.
    window.setTimeout(() => void queries.invalidateQueries(), 0);
  };
  useEffect(() => {
    if (!isOver || isTold.current || isOneRefused) return;
    isTold.current = true;
    if (isOneLeft) onClose();
    if (done.length === 0) return;
    const sentence = sentenceOf(done, workspace);
    announce(sentence);
    showToast({
      text: sentence,
      action: {
        label: 'Undo',
        run: () =>
          void undo(workspace, done, (back) => {
            announce('It is back where it was.');
            finish(back);
          }),
      },
    });
    if (isSmooth) {
      onClose();
      finish(done);
    }
  });

  if (asking.length > 0 && attempts.every(({ outcome }) => outcome !== undefined)) {
    return (
      <ReportDialog
        // A changed report is agreed to again.
        key={asking
          .map(({ outcome }) => (outcome?.state === 'widens' && outcome.report.hasChanged ? outcome.report.digest : ''))
          .join('')}
        workspace={workspace}
        attempts={asking}
        isPending={isRunning}
        onAcknowledge={() => void acknowledge()}
        onLeave={() => void leave()}
      />
    );
  }
  if (isOver && !isOneRefused && !isOneLeft && !isSmooth) {
    const folders = new Set(items.filter(({ type }) => type === 'folder').map(({ location }) => location));
    return (
      <ResultsDialog
        workspace={workspace}
        attempts={attempts}
        isFolder={(location) => folders.has(location)}
        onClose={() => {
          onClose();
          if (done.length > 0) finish(done);
        }}
      />
    );
  }
  return children;
}

function toRelocated({ relocation, outcome }: Attempt): Relocated[] {
  return outcome?.state === 'done' ? [{ from: relocation.location, to: outcome.to }] : [];
}

function sentenceOf(done: readonly Relocated[], workspace: string): string {
  const [first] = done;
  if (first === undefined) return '';
  const folder = folderOf(first.to);
  const place = folder === '' ? workspace : nameOf(folder);
  if (folderOf(first.from) === folder) return `Renamed ${nameOf(first.from)} to ${nameOf(first.to)}.`;
  return done.length === 1 ? `Moved ${nameOf(first.to)} to ${place}.` : `Moved ${done.length} items to ${place}.`;
}
