import { CircleAlert, CircleCheck, CircleMinus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, LinkButton } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { RequestId } from '../../design/state.tsx';
import { addressOf, nameOf } from '../../navigation/addresses.ts';
import { AccessChanges } from './access-changes.tsx';
import { sentenceOf } from './send-relocation.ts';
import type { Attempt } from './use-relocating.ts';

interface ResultsDialogProps {
  readonly workspace: string;
  readonly attempts: readonly Attempt[];
  /** Whether a location is a folder. */
  readonly isFolder: (from: string) => boolean;
  readonly onClose: () => void;
}

/** What was done and what was not, one by one, and who lost access. */
export function ResultsDialog({ workspace, attempts, isFolder, onClose }: ResultsDialogProps): ReactNode {
  const isAllDone = attempts.every(({ outcome }) => outcome?.state === 'done');
  return (
    <Dialog
      title={isAllDone ? 'Some have lost access' : 'Not everything was done'}
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <ul className="results">
        {attempts.map(({ relocation: { location }, outcome }) => (
          <li key={location}>
            {outcome?.state === 'done' ? (
              <CircleCheck className="done" aria-hidden />
            ) : outcome?.state === 'left' ? (
              <CircleMinus aria-hidden />
            ) : (
              <CircleAlert className="refused" aria-hidden />
            )}
            <div className="stack">
              <span>
                <bdi>{nameOf(location)}</bdi>: <Sentence outcome={outcome} />
              </span>
              {outcome?.state === 'done' && outcome.losses.length > 0 && (
                <>
                  <AccessChanges label="Lost access" changes={outcome.losses} workspace={workspace} />
                  <span>
                    <LinkButton
                      size="small"
                      href={addressOf.share(workspace, outcome.to, isFolder(location) ? 'folder' : 'document')}
                    >
                      Share it again
                    </LinkButton>
                  </span>
                </>
              )}
              {outcome?.state === 'refused' && outcome.problem.requestId !== undefined && (
                <RequestId id={outcome.problem.requestId} />
              )}
            </div>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Sentence({ outcome }: { outcome: Attempt['outcome'] }): ReactNode {
  if (outcome?.state === 'done') return 'done';
  if (outcome?.state === 'refused') return sentenceOf(outcome.problem);
  return 'left where it is';
}
