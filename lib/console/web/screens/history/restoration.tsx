import { useQueryClient } from '@tanstack/react-query';
import { History as RestoreIcon, RotateCw } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { newIdempotencyKey } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { ProblemLine, ProblemState, Skeleton } from '../../design/state.tsx';
import { formatExact } from '../../design/time.tsx';
import { showProblem, showToast } from '../../design/toast.tsx';
import { viewOf } from '../../navigation/addresses.ts';
import { Comparison } from './version-changes.tsx';
import { HistoryPage } from './head.tsx';
import { restore, useDiff, useHistory, versionsOf, type Diff } from './history-queries.ts';

/** Shows what restoring a version would change, then restores it as the newest version. */
export function Restoration({ location, version }: { location: string; version: string }): ReactNode {
  const history = useHistory(location);
  const current = versionsOf(history.data)[0]?.version.id;
  // The current text is compared with the older one: what restoring takes away stands on the left.
  const compared = useDiff(location, current, current === undefined ? undefined : version);
  const error = history.error ?? compared.error;
  const retry = (): void => {
    void history.refetch();
    void compared.refetch();
  };
  return (
    <HistoryPage location={location} view="Restore" title={`Restore ${location}`} size="wide">
      {compared.data !== undefined && current !== undefined ? (
        <>
          <Form location={location} compared={compared.data} current={current} onRenew={retry} />
          <Comparison location={location} compared={compared.data} />
        </>
      ) : error === null ? (
        <Skeleton lines={12} label="Comparing with the current version" />
      ) : (
        <ProblemState error={error} what="document or version" onRetry={retry} />
      )}
    </HistoryPage>
  );
}

interface FormProps {
  readonly location: string;
  /** From the current version to the one to restore. */
  readonly compared: Diff;
  readonly current: string;
  /** Fetches the newest version, when somebody was faster. */
  readonly onRenew: () => void;
}

function Form({ location, compared, current, onRenew }: FormProps): ReactNode {
  const { name } = useWorkspace();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [note, setNote] = useState('');
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { to } = compared;
  const message = note.trim();
  const attempts = useAttempts();
  const isStale = error !== null && asProblem(error).reason === 'stale_if_match';
  const undo = async (made: string): Promise<void> => {
    try {
      const input = { location, version: current, current: made, message: 'Undo of a restore' };
      await restore(name, { ...input, key: newIdempotencyKey() });
      showToast({ text: 'The version from before is the newest again.' });
    } catch (problem) {
      showProblem(problem);
    }
    await queries.invalidateQueries();
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isPending) return;
    setPending(true);
    setError(null);
    try {
      const wish = { location, version: to.id, current, message };
      const made = await restore(name, { ...wish, key: attempts.keyFor(wish) });
      navigate(viewOf.timeline(name, location));
      showToast({ text: 'Restored as the newest version.', action: { label: 'Undo', run: () => void undo(made) } });
      await queries.invalidateQueries();
    } catch (problem) {
      setError(problem);
      setPending(false);
    }
  };
  return (
    <>
      <Notice title={`Restore the version of ${formatExact(to.created_at)} by ${to.author.display_name}?`}>
        <p>Its text becomes the newest version. All versions stay in the history. Below is what changes.</p>
      </Notice>
      {isStale ? (
        <Notice
          tone="warning"
          isUrgent
          title="A newer version was written in the meantime"
          action={
            <Button
              icon={RotateCw}
              onClick={() => {
                setError(null);
                onRenew();
              }}
            >
              Compare with it
            </Button>
          }
        >
          <p>Nothing was restored.</p>
        </Notice>
      ) : (
        <form className="restore-form" onSubmit={(event) => void submit(event)}>
          <TextField
            label="Note (optional)"
            value={note}
            maxLength={500}
            onChange={(event) => setNote(event.target.value)}
          />
          <div className="cluster">
            <Button look="primary" icon={RestoreIcon} type="submit" isPending={isPending} disabled={compared.is_same}>
              Restore this version
            </Button>
            <LinkButton href={viewOf.timeline(name, location)}>Cancel</LinkButton>
          </div>
        </form>
      )}
      {!isStale && <ProblemLine error={error} />}
    </>
  );
}
