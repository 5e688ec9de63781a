import { Check, Circle, LoaderCircle, type LucideIcon } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { announce } from '../../design/announce.tsx';
import { Who } from '../../design/badge.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Notice } from '../../design/notice.tsx';
import { Page, Panel } from '../../design/page.tsx';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { describeAmount, Unreachable } from './consequences.tsx';
import { useErasure, type Erasure } from './erase-queries.ts';

type Step = NonNullable<Erasure['step']>;

const steps: readonly Step[] = [
  'flushed',
  'rewritten',
  'moved',
  'checkpointed',
  'repointed',
  'cleared',
  'forgotten',
  'dropped',
  'copied',
  'swept',
  'overwritten',
  'uncopied',
  'final',
];

/** The phases that a person follows, each with the step that ends it. */
const phases: readonly { readonly name: string; readonly until: Step | null }[] = [
  { name: 'Hidden from everybody', until: null },
  { name: 'Taken out of the history', until: 'moved' },
  { name: 'Comments, labels and words of the search deleted', until: 'forgotten' },
  { name: 'Old files removed', until: 'swept' },
  { name: 'Deleted bytes overwritten', until: 'final' },
];

/** How far an erase is. It goes on by itself: the page can be left, and come back to. */
export function Receipt({ workspace, erasure: id }: { workspace: string; erasure: string }): ReactNode {
  const erasure = useErasure(workspace, id);
  const isFinal = erasure.data?.phase === 'final';
  useEffect(() => {
    if (isFinal) announce('The document is erased for good.');
  }, [isFinal]);
  const crumbs = [
    { name: 'Trash', href: addressOf.trash(workspace) },
    { name: 'Erased', href: addressOf.erasures(workspace) },
    { name: 'Receipt' },
  ];
  return (
    <Page title="Receipt of an erase" crumbs={crumbs}>
      {erasure.data === undefined ? (
        erasure.error === null ? (
          <Skeleton />
        ) : (
          <ProblemState error={erasure.error} what="receipt" onRetry={() => void erasure.refetch()} />
        )
      ) : (
        <Found erasure={erasure.data} isLost={erasure.error !== null} onRetry={() => void erasure.refetch()} />
      )}
    </Page>
  );
}

/** How many phases are over. */
function countOver({ phase, step }: Erasure): number {
  const reached: Step | null = phase === 'final' ? 'final' : (step ?? (phase === 'moved' ? 'moved' : null));
  const at = reached === null ? -1 : steps.indexOf(reached);
  return phases.filter(({ until }) => until === null || steps.indexOf(until) <= at).length;
}

function Found({ erasure, isLost, onRetry }: { erasure: Erasure; isLost: boolean; onRetry: () => void }): ReactNode {
  const { id, phase, hindrance, waits_for: waitsFor, requested_at: at, requested_by: by, final_at: finalAt } = erasure;
  const over = countOver(erasure);
  return (
    <>
      {phase === 'final' ? (
        <Notice tone="success" title="The document is erased for good">
          <p>No file of this workspace holds a trace of it.</p>
        </Notice>
      ) : hindrance === null ? (
        <Notice title="The document is hidden, and is being destroyed">
          <p>No one can reach it any more. You may leave this page: the erase goes on by itself.</p>
          {waitsFor !== null && <p>{waitsFor}</p>}
        </Notice>
      ) : (
        <Notice tone="danger" title="The erase is held up">
          <p>{hindrance}</p>
        </Notice>
      )}
      {isLost && (
        <Notice tone="warning" title="The service cannot answer at the moment">
          <p>The erase goes on meanwhile.</p>
          <button type="button" className="button small" onClick={onRetry}>
            Look again
          </button>
        </Notice>
      )}
      <Panel title="Progress">
        <ol className="erase-phases" aria-label="Phases of the erase">
          {phases.map(({ name }, index) => {
            const isUnderWay = index === over && hindrance === null;
            return (
              <Phase key={name} name={name} state={index < over ? 'done' : isUnderWay ? 'under way' : 'to come'} />
            );
          })}
        </ol>
      </Panel>
      <Panel title="Receipt">
        <dl className="facts">
          <dt>Erase</dt>
          <dd className="erase-who">
            <code>{id}</code> <CopyButton text={id} label="Copy id" />
          </dd>
          <dt>Asked for by</dt>
          <dd>
            <Who name={by.display_name} kind={by.kind} />
          </dd>
          <dt>Hidden</dt>
          <dd>
            <Time at={at} form="exact" />
          </dd>
          <dt>Destroyed</dt>
          <dd>{describeAmount(erasure)}</dd>
          <dt>Final</dt>
          <dd>{finalAt === null ? 'not yet' : <Time at={finalAt} form="exact" />}</dd>
        </dl>
        <h3 className="erase-still">What this cannot recall</h3>
        <Unreachable />
      </Panel>
    </>
  );
}

const iconOf: Readonly<Record<'done' | 'under way' | 'to come', LucideIcon>> = {
  done: Check,
  'under way': LoaderCircle,
  'to come': Circle,
};

function Phase({ name, state }: { name: string; state: keyof typeof iconOf }): ReactNode {
  const Icon = iconOf[state];
  return (
    <li className={`erase-phase ${state.replace(' ', '-')}`} aria-current={state === 'under way' ? 'step' : undefined}>
      <Icon aria-hidden className={state === 'under way' ? 'turning' : undefined} />
      <span>{name}</span>
      <span className="soft small">{state}</span>
    </li>
  );
}
