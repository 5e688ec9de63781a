import { useState, type ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Choice } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { nameOf } from '../../navigation/addresses.ts';
import { AccessChanges } from './access-changes.tsx';
import { likenessOf, type AccessReport } from './send-relocation.ts';
import type { Attempt } from './use-relocating.ts';

interface ReportDialogProps {
  readonly workspace: string;
  /** Those that would give access to others. */
  readonly attempts: readonly Attempt[];
  readonly isPending: boolean;
  readonly onAcknowledge: () => void;
  readonly onLeave: () => void;
}

interface Group {
  readonly names: string[];
  readonly report: AccessReport;
}

/** Says who would gain access and who would lose it, and asks for an explicit agreement. */
export function ReportDialog({ workspace, attempts, isPending, onAcknowledge, onLeave }: ReportDialogProps): ReactNode {
  const [isAgreed, setAgreed] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const groups = groupByReport(attempts);
  const isRename = attempts[0]?.relocation.type === 'rename';
  const verb = isRename ? 'Rename' : 'Move';
  const agree = (): void => {
    setAsked(!isAgreed);
    if (isAgreed) onAcknowledge();
  };
  return (
    <Dialog
      title="More people would get access"
      onClose={onLeave}
      onSubmit={agree}
      footer={
        <>
          <Button onClick={onLeave}>{isRename ? 'Do not rename' : 'Do not move'}</Button>
          <Button look="danger" type="submit" isPending={isPending}>
            {verb} and give access
          </Button>
        </>
      }
    >
      {groups.some(({ report }) => report.hasChanged) && (
        <Notice tone="warning" title="The report has changed" isUrgent>
          <p>Somebody changed the access in the meantime. Read the report again.</p>
        </Notice>
      )}
      <p>
        Nothing is {isRename ? 'renamed' : 'moved'} yet. Access follows the path, so the new place changes who reaches
        it.
      </p>
      {groups.map(({ names, report }) => (
        <section key={names[0]} className="stack access-report">
          <h3>
            {names.slice(0, shownNames).map((name, index) => (
              <span key={name}>
                {index > 0 && ', '}
                <bdi>{name}</bdi>
              </span>
            ))}
            {names.length > shownNames && ' and more'}
          </h3>
          <div>
            <h4>Gains access</h4>
            <AccessChanges label="Gains access" changes={report.gains} workspace={workspace} />
          </div>
          {report.losses.length > 0 && (
            <div>
              <h4>Loses access</h4>
              <AccessChanges label="Loses access" changes={report.losses} workspace={workspace} />
            </div>
          )}
        </section>
      ))}
      <Choice
        label="I have read who gains access, and I agree"
        checked={isAgreed}
        onChange={(event) => setAgreed(event.target.checked)}
      />
      {isAsked && !isAgreed && (
        <p className="field-error" role="alert">
          Tick the box first.
        </p>
      )}
    </Dialog>
  );
}

const shownNames = 5;

/** Things with the same report are shown, and agreed to, together. */
function groupByReport(attempts: readonly Attempt[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { relocation, outcome } of attempts) {
    if (outcome?.state !== 'widens') continue;
    const key = likenessOf(outcome.report);
    const group = groups.get(key) ?? { names: [], report: outcome.report };
    group.names.push(nameOf(relocation.location));
    groups.set(key, group);
  }
  return [...groups.values()];
}
