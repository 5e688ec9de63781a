import { useMutation } from '@tanstack/react-query';
import { CirclePause, CirclePlay, Ellipsis, KeyRound, Send, Settings2, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { apiOf, dataOf, newIdempotencyKey } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Badge, Who } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { Choice } from '../../design/field.tsx';
import { Menu } from '../../design/menu.tsx';
import { NextTime } from '../../design/next-time.tsx';
import { Notice } from '../../design/notice.tsx';
import { Page, Panel } from '../../design/page.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { showProblem, showToast } from '../../design/toast.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { ChangeDialog } from './change-webhook-dialog.tsx';
import { DeliveriesCard } from './deliveries-card.tsx';
import { useRenew, useWebhook, type MadeWebhook, type Tested, type Webhook } from './webhook-queries.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { conditionOf, listKinds, wordsOfStop } from './webhook-words.ts';

/** One webhook: what it tells, what became of it, and everything that can be done about it. */
export function WebhookPage({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useWebhook(id);
  if (data !== undefined) return <Loaded webhook={data} />;
  return (
    <Page title="Webhook" heading={<span className="visually-hidden">Webhook</span>}>
      {error === null ? <Skeleton /> : <ProblemState error={error} what="webhook" onRetry={() => void refetch()} />}
    </Page>
  );
}

type Asked = 'change' | 'rotate' | 'remove';

function Loaded({ webhook }: { webhook: Webhook }): ReactNode {
  const { name: workspace } = useWorkspace();
  const renew = useRenew();
  const [asked, setAsked] = useState<Asked>();
  const [made, setMade] = useState<MadeWebhook>();
  const { id, name, location, kinds, stopped, failures, last_delivery: last, next_attempt_at: next } = webhook;
  const path = { id };
  const test = useMutation({
    mutationFn: () => {
      const params = { path, header: { 'Idempotency-Key': newIdempotencyKey() } };
      return dataOf(apiOf(workspace).POST('/webhooks/{id}/tests', { params }));
    },
    onError: showProblem,
  });
  const enable = useMutation({
    mutationFn: (enabled: boolean) =>
      dataOf(apiOf(workspace).PATCH('/webhooks/{id}', { params: { path }, body: { enabled } })),
    onError: showProblem,
    onSettled: () => void renew(),
  });
  const condition = conditionOf(webhook);
  const close = (): void => setAsked(undefined);
  return (
    <Page
      title={name}
      crumbs={[{ name: 'Webhooks', href: addressOf.webhooks(workspace) }]}
      heading={
        <span className="title-line">
          <bdi>{name}</bdi>
          <Badge tone={condition.tone}>{condition.name}</Badge>
        </span>
      }
      actions={
        <>
          <Menu
            label={`Actions for ${name}`}
            actions={[
              { label: 'Change webhook', icon: Settings2, run: () => setAsked('change') },
              { label: 'Make a new secret', icon: KeyRound, run: () => setAsked('rotate') },
              {
                label: 'Remove webhook',
                icon: Trash2,
                run: () => setAsked('remove'),
                isDangerous: true,
                startsGroup: true,
              },
            ]}
          >
            <Ellipsis aria-hidden />
          </Menu>
          <Button icon={Send} isPending={test.isPending} onClick={() => test.mutate()}>
            Send test
          </Button>
          <Button
            icon={stopped === null ? CirclePause : CirclePlay}
            isPending={enable.isPending}
            onClick={() => enable.mutate(stopped !== null)}
          >
            {stopped === null ? 'Disable' : 'Enable'}
          </Button>
        </>
      }
    >
      {stopped !== null && (
        <Notice tone={stopped === 'by_hand' ? 'info' : 'danger'} title={wordsOfStop[stopped].title}>
          {stopped !== 'by_hand' && last?.outcome !== 'delivered' && <AnswerLine answer={last?.answer ?? null} />}
          <p>{wordsOfStop[stopped].remedy}</p>
        </Notice>
      )}
      {stopped === null && failures > 0 && (
        <Notice tone="warning" title="The receiver does not take it">
          <AnswerLine answer={last?.answer ?? null} />
          <p className="soft small">
            Nothing is lost: it is tried again, and what comes later waits.
            {next !== null && (
              <>
                {' '}
                Next try <NextTime at={next} />.
              </>
            )}
          </p>
        </Notice>
      )}
      {test.data !== undefined && !test.isPending && <TestNotice tested={test.data} />}
      <Panel title="Webhook">
        <dl className="facts">
          <dt>Address</dt>
          <dd>
            <PlainText text={webhook.url} />
          </dd>
          <dt>Folder</dt>
          <dd>
            {location === '' ? (
              'The whole workspace'
            ) : (
              <Link href={addressOf.folder(workspace, location)}>
                <bdi>{location}/</bdi>
              </Link>
            )}
          </dd>
          <dt>Tells</dt>
          <dd>{kinds === null ? 'Every change of a document' : listKinds(kinds)}</dd>
          <dt>Owner</dt>
          <dd>
            <Who name={webhook.owner.display_name} kind={webhook.owner.kind} />
          </dd>
          {webhook.rotating_until !== null && (
            <>
              <dt>Former secret</dt>
              <dd>
                Signs too, and ends <Time at={webhook.rotating_until} />
              </dd>
            </>
          )}
        </dl>
      </Panel>
      <DeliveriesCard webhook={webhook} />
      {asked === 'change' && <ChangeDialog webhook={webhook} onClose={close} />}
      {asked === 'rotate' && (
        <RotateDialog
          webhook={webhook}
          onClose={close}
          onRotated={(rotated) => {
            close();
            setMade(rotated);
          }}
        />
      )}
      {asked === 'remove' && <RemoveDialog webhook={webhook} onClose={close} />}
      {made !== undefined && <SecretDialog made={made} isNew={false} onClose={() => setMade(undefined)} />}
    </Page>
  );
}

/** What the receiver said. It can be anything. */
function AnswerLine({ answer }: { answer: string | null }): ReactNode {
  if (answer === null || answer === '') return null;
  return (
    <p className="row-line">
      It said: <PlainText text={answer} />
    </p>
  );
}

function TestNotice({ tested }: { tested: Tested }): ReactNode {
  const { delivered, status, answer, duration_ms: duration } = tested;
  return (
    <Notice
      tone={delivered ? 'success' : 'danger'}
      title={delivered ? 'The test message was delivered' : 'The test message was not delivered'}
      isUrgent
    >
      <p>
        {status === null ? 'No answer came' : `The receiver answered with status ${status}`} after {duration} ms.
      </p>
      <AnswerLine answer={answer} />
    </Notice>
  );
}

function RotateDialog({
  webhook,
  onClose,
  onRotated,
}: {
  webhook: Webhook;
  onClose: () => void;
  onRotated: (made: MadeWebhook) => void;
}): ReactNode {
  const { name: workspace } = useWorkspace();
  const renew = useRenew();
  const attempts = useAttempts();
  const [isAtOnce, setAtOnce] = useState(false);
  const [isRotating] = useState(
    () => webhook.rotating_until !== null && Date.parse(webhook.rotating_until) > Date.now(),
  );
  const rotate = useMutation({
    mutationFn: () => {
      const query = { now: isAtOnce };
      const header = { 'Idempotency-Key': attempts.keyFor(query) };
      const params = { path: { id: webhook.id }, query, header };
      return dataOf(apiOf(workspace).POST('/webhooks/{id}/rotations', { params }));
    },
    onSuccess: onRotated,
    onSettled: () => void renew(),
  });
  return (
    <ConfirmDialog
      title="Make a new secret?"
      action="Make new secret"
      look="primary"
      sending={rotate}
      isDisabled={isRotating && !isAtOnce}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    >
      {isRotating ? (
        <p>
          Two secrets sign already, and the former one ends <Time at={webhook.rotating_until ?? ''} />. Wait until then,
          or end both now.
        </p>
      ) : (
        <p>Both secrets sign every message for a day, so that the receiver can change over.</p>
      )}
      <Choice
        label="End the present secret at once, as after a leak"
        checked={isAtOnce}
        onChange={(event) => setAtOnce(event.target.checked)}
      />
    </ConfirmDialog>
  );
}

function RemoveDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }): ReactNode {
  const { name: workspace } = useWorkspace();
  const [, navigate] = useLocation();
  const renew = useRenew();
  const remove = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).DELETE('/webhooks/{id}', { params: { path: { id: webhook.id } } })),
    onSuccess: async () => {
      onClose();
      showToast({ text: `${webhook.name} is removed.` });
      navigate(addressOf.webhooks(workspace), { replace: true });
      await renew();
    },
  });
  return (
    <ConfirmDialog
      title={`Remove ${webhook.name}?`}
      action="Remove webhook"
      sending={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>Nothing more is sent, and the list of deliveries goes. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
