import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { apiOf, dataOf } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { announce } from '../../design/announce.tsx';
import { Badge, type BadgeTone } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { PagedList } from '../../design/paged-list.tsx';
import { Panel } from '../../design/page.tsx';
import { ProblemLine, ProblemState, State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf, viewOf } from '../../navigation/addresses.ts';
import { usePreview, type PreviewItem, type Reverted, type Wanted } from './undo-queries.ts';

interface PreviewProps {
  readonly workspace: string;
  readonly wanted: Wanted;
  /** Looks at undoing what a principal did since a time: the way back from an undo. */
  readonly onUndoAgain: (principal: string, since: string) => void;
}

type Action = PreviewItem['action'];
type Why = NonNullable<PreviewItem['reason']>;

const actions: Readonly<Record<Exclude<Action, 'none'>, { readonly name: string; readonly tone: BadgeTone }>> = {
  restore: { name: 'gets its earlier text back', tone: 'info' },
  delete: { name: 'was made then: goes to the trash', tone: 'warning' },
  undelete: { name: 'was deleted then: comes back', tone: 'success' },
};

const reasons: Readonly<Record<Why, string>> = {
  later_writes: 'somebody else has changed it since',
  relocated: 'it was renamed or moved: that is not undone',
  location_occupied: 'something else has its place now',
  read_only_source: 'a connector writes here',
  claimed: 'somebody else holds a claim on it',
};

/** What would be undone, and what left alone; then what was. */
export function Preview({ workspace, wanted, onUndoAgain }: PreviewProps): ReactNode {
  const pages = usePreview(workspace, wanted);
  const client = useQueryClient();
  const attempts = useAttempts();
  const [message, setMessage] = useState('');
  const items = pages.data?.pages.flatMap((page) => page.items);
  const digest = pages.data?.pages[0]?.preview;
  const undo = useMutation({
    mutationFn: (preview: string) => {
      const { folder, principal, since } = wanted;
      const note = message.trim();
      const body = {
        ...(folder !== '' && { location: folder }),
        principal_id: principal,
        since,
        preview,
        ...(note !== '' && { message: note }),
      };
      const params = { header: { 'Idempotency-Key': attempts.keyFor(body) } };
      return dataOf(apiOf(workspace).POST('/reverts', { params, body }));
    },
    onSuccess: async () => {
      announce('It is undone.');
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'undo' });
    },
    onError: (error) => {
      if (asProblem(error).reason === 'preview_changed') void pages.refetch();
    },
  });
  if (undo.data !== undefined) return <Result workspace={workspace} done={undo.data} onUndoAgain={onUndoAgain} />;
  if (pages.error !== null && asProblem(pages.error).code === 'NOT_FOUND') {
    return (
      <State title="You cannot undo changes in this folder">
        <p>It does not exist, or you are not an editor of all of it. Choose a folder further in.</p>
      </State>
    );
  }
  if (pages.error !== null && pages.data === undefined) {
    return <ProblemState error={pages.error} what="preview" onRetry={() => void pages.refetch()} />;
  }
  const isChanged = undo.error !== null && asProblem(undo.error).reason === 'preview_changed';
  const hasSteps = items?.some(({ action }) => action !== 'none') ?? false;
  return (
    <Panel title="What would happen" isFlush>
      {isChanged && (
        <div className="undo-part">
          <Notice tone="warning" title="Things have changed meanwhile" isUrgent>
            <p>Nothing was undone. Look at the list again.</p>
          </Notice>
        </div>
      )}
      <PagedList
        pages={pages}
        items={items}
        label="What would happen"
        empty={
          <State icon={Undo2} title="There is nothing to undo">
            <p>In that time nothing was written there that still stands.</p>
          </State>
        }
      >
        {(item) => <Step key={`${item.action} ${item.location}`} workspace={workspace} item={item} />}
      </PagedList>
      {items !== undefined && items.length > 0 && (
        <div className="undo-part undo-do">
          {hasSteps ? (
            <>
              <TextField
                label="Note (optional)"
                hint="It stands in the history of each document."
                value={message}
                maxLength={500}
                onChange={({ target }) => setMessage(target.value)}
              />
              {!isChanged && <ProblemLine error={undo.error} />}
              <div className="cluster">
                <Button
                  look="primary"
                  icon={Undo2}
                  isPending={undo.isPending || pages.isFetching}
                  onClick={() => digest !== undefined && undo.mutate(digest)}
                >
                  Undo these changes
                </Button>
              </div>
            </>
          ) : (
            <p>Nothing of this can be undone here.</p>
          )}
        </div>
      )}
    </Panel>
  );
}

function Step({ workspace, item }: { workspace: string; item: PreviewItem }): ReactNode {
  const { action, location, reason, from_version: from, to_version: to } = item;
  const known = action === 'none' ? undefined : actions[action];
  return (
    <li className={action === 'none' ? 'undo-step alone' : 'undo-step'}>
      <div className="undo-name">
        {action === 'undelete' ? (
          <bdi>{location}</bdi>
        ) : (
          <Link href={addressOf.document(workspace, location)}>
            <bdi>{location}</bdi>
          </Link>
        )}
        {reason !== null && <span className="soft small">Left alone: {reasons[reason]}.</span>}
      </div>
      {known === undefined ? <Badge>left alone</Badge> : <Badge tone={known.tone}>{known.name}</Badge>}
      {action === 'restore' && from !== null && to !== null && (
        <LinkButton size="small" look="quiet" href={viewOf.changes(workspace, location, to, from)}>
          Show the difference
        </LinkButton>
      )}
    </li>
  );
}

interface ResultProps {
  readonly workspace: string;
  readonly done: Reverted;
  readonly onUndoAgain: PreviewProps['onUndoAgain'];
}

function Result({ workspace, done, onUndoAgain }: ResultProps): ReactNode {
  const { principal_id: me } = useWorkspace();
  const { documents, location, left_alone: leftAlone, done_at: doneAt, since } = done;
  const alone = (Object.keys(reasons) as Why[]).filter((reason) => leftAlone[reason] > 0);
  return (
    <Panel title="Undone">
      <div className="stack">
        <Notice
          tone="success"
          title={documents === 1 ? '1 document was changed back' : `${documents} documents were changed back`}
        >
          <p>
            What was written since <Time at={since} form="exact" /> stands in their histories.
          </p>
        </Notice>
        {alone.length > 0 && (
          <div>
            <p>Left alone:</p>
            <ul className="plain-list">
              {alone.map((reason) => (
                <li key={reason}>
                  {leftAlone[reason]}: {reasons[reason]}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className="cluster">
          <LinkButton look="primary" href={addressOf.folder(workspace, location)}>
            Show the folder
          </LinkButton>
          <Button icon={Undo2} onClick={() => onUndoAgain(me, doneAt)}>
            Undo this undo
          </Button>
        </div>
      </div>
    </Panel>
  );
}
