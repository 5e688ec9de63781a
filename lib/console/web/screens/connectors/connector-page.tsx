import { useMutation } from '@tanstack/react-query';
import { CirclePause, CirclePlay, Ellipsis, KeyRound, PlugZap, RefreshCw, Settings2, Unplug } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { apiOf, dataOf, newIdempotencyKey } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { Badge, Who } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Menu } from '../../design/menu.tsx';
import type { MenuAction } from '../../design/menu-list.tsx';
import { Page, Panel } from '../../design/page.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { showProblem, showToast } from '../../design/toast.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { NextRun } from './next-run.tsx';
import { ChangeDialog } from './change-connector-dialog.tsx';
import { ConditionBadge } from './condition-badge.tsx';
import { ApproveDialog, DisconnectDialog } from './ending-dialogs.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { RunsCard, SkippedCard } from './run-cards.tsx';
import { useConnector, useConnectorChanges, type Connector, type TestResult } from './connector-queries.ts';
import { TestNotice } from './test-notice.tsx';
import { Troubles } from './troubles.tsx';
import { WebhookCard } from './webhook-card.tsx';
import { nameInterval, wordsOfKind } from './connector-words.ts';

/** One mirror: what it does, what is wrong with it, and everything that can be done about it. */
export function ConnectorPage({ id }: { id: string }): ReactNode {
  const { name } = useWorkspace();
  const { data, error, refetch } = useConnector(id);
  if (data === undefined) {
    return (
      <Page title="Connector" heading={<span className="visually-hidden">Connector</span>}>
        {error === null ? <Skeleton /> : <ProblemState error={error} what="connector" onRetry={() => void refetch()} />}
      </Page>
    );
  }
  return <Loaded connector={data} crumbs={[{ name: 'Connectors', href: addressOf.connectors(name) }]} />;
}

type Asked = 'rotate' | 'change' | 'disconnect' | 'approve';

/** What can be done with a connector by one request without a question. */
function useDeeds(connector: Connector) {
  const { name: workspace } = useWorkspace();
  const { id } = connector;
  const changes = useConnectorChanges();
  const keyed = () => ({ path: { id }, header: { 'Idempotency-Key': newIdempotencyKey() } });
  const after = { onSuccess: changes.keep, onError: showProblem, onSettled: () => void changes.renew() };
  const sync = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).POST('/connectors/{id}/runs', { params: keyed() })),
    ...after,
  });
  const pause = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).PUT('/connectors/{id}/pause', { params: { path: { id } } })),
    ...after,
  });
  const resume = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).DELETE('/connectors/{id}/pause', { params: { path: { id } } })),
    ...after,
  });
  const test = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).POST('/connectors/{id}/tests', { params: keyed() })),
    onError: showProblem,
  });
  return { sync, pause, resume, test };
}

function Loaded({
  connector,
  crumbs,
}: {
  connector: Connector;
  crumbs: readonly { readonly name: string; readonly href: string }[];
}): ReactNode {
  const { name: workspace } = useWorkspace();
  const [asked, setAsked] = useState<Asked>();
  const [tested, setTested] = useState<TestResult>();
  const { sync, pause, resume, test } = useDeeds(connector);
  const { kind, location, state, source } = connector;
  const close = (): void => setAsked(undefined);
  const tryIt = (): void => {
    setTested(undefined);
    test.mutate(undefined, { onSuccess: setTested });
  };
  const isOver = state === 'disconnected';
  const takesSecret = kind !== 'folder';
  const actions: MenuAction[] = [
    { label: 'Test connection', icon: PlugZap, run: tryIt },
    ...(takesSecret
      ? [
          {
            label: connector.has_secret ? 'Replace credential' : 'Set credential',
            icon: KeyRound,
            run: () => setAsked('rotate'),
          },
        ]
      : []),
    { label: 'Change settings', icon: Settings2, run: () => setAsked('change') },
    {
      label: 'Disconnect',
      icon: Unplug,
      run: () => setAsked('disconnect'),
      isDangerous: true,
      startsGroup: true,
    },
  ];
  return (
    <Page
      title={connector.name}
      crumbs={crumbs}
      heading={
        <span className="title-line">
          <bdi>{connector.name}</bdi>
          <Badge tone="connector">{wordsOfKind[kind].name}</Badge>
          <ConditionBadge connector={connector} />
        </span>
      }
      actions={
        !isOver && (
          <>
            <Menu label={`Actions for ${connector.name}`} actions={actions}>
              <Ellipsis aria-hidden />
            </Menu>
            {state === 'paused' ? (
              <Button look="primary" icon={CirclePlay} isPending={resume.isPending} onClick={() => resume.mutate()}>
                Resume
              </Button>
            ) : (
              <>
                <Button icon={CirclePause} isPending={pause.isPending} onClick={() => pause.mutate()}>
                  Pause
                </Button>
                {state !== 'held' && (
                  <Button look="primary" icon={RefreshCw} isPending={sync.isPending} onClick={() => sync.mutate()}>
                    Sync now
                  </Button>
                )}
              </>
            )}
          </>
        )
      }
    >
      <p className="soft small connector-facts">
        <span>
          <PlainText text={source} />
        </span>
      </p>
      <Troubles
        connector={connector}
        onApprove={() => setAsked('approve')}
        onRotate={takesSecret ? () => setAsked('rotate') : undefined}
        onChange={() => setAsked('change')}
      />
      {test.isPending && (
        <p className="soft small" role="status">
          Testing the connection…
        </p>
      )}
      {tested !== undefined && <TestNotice result={tested} />}
      <div className="connector-cards">
        <Panel title="Mirror">
          <dl className="facts">
            <dt>Folder</dt>
            <dd>
              <Link href={addressOf.folder(workspace, location)}>
                <bdi>{location}/</bdi>
              </Link>
            </dd>
            <dt>Syncs</dt>
            <dd>{nameInterval(connector.interval_seconds)}</dd>
            <dt>Next sync</dt>
            <dd>{nextOf(connector)}</dd>
            <dt>Up to date as of</dt>
            <dd>{connector.synced_at === null ? 'Not yet' : <Time at={connector.synced_at} />}</dd>
            {connector.source_version !== null && (
              <>
                <dt>State of the source</dt>
                <dd>
                  <code>
                    <PlainText text={connector.source_version} />
                  </code>
                </dd>
              </>
            )}
            {takesSecret && (
              <>
                <dt>Credential</dt>
                <dd>{connector.has_secret ? 'Kept sealed' : 'None'}</dd>
              </>
            )}
            <dt>Connected</dt>
            <dd className="cluster">
              <Time at={connector.connected_at} /> by{' '}
              <Who name={connector.connected_by.display_name} kind={connector.connected_by.kind} />
            </dd>
          </dl>
        </Panel>
        <RunsCard connector={connector} />
        <SkippedCard connector={connector} />
        {!isOver && <WebhookCard connector={connector} />}
      </div>
      {asked === 'rotate' && <RotateDialog connector={connector} onClose={close} />}
      {asked === 'change' && <ChangeDialog connector={connector} onClose={close} />}
      {asked === 'approve' && <ApproveDialog connector={connector} onClose={close} />}
      {asked === 'disconnect' && (
        <DisconnectDialog
          connector={connector}
          onClose={close}
          onDone={(sentence) => {
            close();
            showToast({ text: sentence });
          }}
        />
      )}
    </Page>
  );
}

function nextOf({ state, last_run: lastRun, next_run_at: next }: Connector): ReactNode {
  if (lastRun?.outcome === null) return 'After the one under way';
  if (next !== null) return <NextRun at={next} />;
  return { held: 'After an approval', paused: 'When it is resumed', stopped: 'None until somebody acts' }[
    state as string
  ];
}
