import { useMutation } from '@tanstack/react-query';
import { Inbox } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { itemsOf } from '../../api/read.ts';
import { useWorkspace } from '../../api/session.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { Panel } from '../../design/page.tsx';
import { PagedList } from '../../design/paged-list.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { showToast } from '../../design/toast.tsx';
import { useDeliveries, useRenew, type Delivery, type Webhook } from './webhook-queries.ts';

/** The attempts to deliver, the newest first, with what the receiver answered. */
export function DeliveriesCard({ webhook }: { webhook: Webhook }): ReactNode {
  const pages = useDeliveries(webhook.id, webhook.last_delivery?.number ?? 0);
  const [replayed, setReplayed] = useState<Delivery>();
  return (
    <Panel title="Deliveries" isFlush>
      <PagedList
        pages={pages}
        items={itemsOf(pages)}
        label="Deliveries"
        empty={
          <State icon={Inbox} title="Nothing was sent yet">
            <p>A message goes out moments after a change. A test message is not listed.</p>
          </State>
        }
      >
        {(delivery) => <Row key={delivery.number} delivery={delivery} onReplay={() => setReplayed(delivery)} />}
      </PagedList>
      {replayed !== undefined && (
        <ReplayDialog webhook={webhook} delivery={replayed} onClose={() => setReplayed(undefined)} />
      )}
    </Panel>
  );
}

function Row({ delivery, onReplay }: { delivery: Delivery; onReplay: () => void }): ReactNode {
  const { type, at, outcome, status, answer, duration_ms: duration, message_id: messageId } = delivery;
  const isDelivered = outcome === 'delivered';
  return (
    <li className="webhook-row">
      <div className="row-main">
        <span className="cluster">
          <Badge tone={isDelivered ? 'success' : 'danger'}>{isDelivered ? 'delivered' : outcome}</Badge>
          <code>{type}</code>
        </span>
        <span className="soft small row-line">
          {status === null ? 'No answer' : `Status ${status}`}, {duration} ms, message <code>{messageId}</code>
        </span>
        {answer !== null && answer !== '' && (
          <span className="small row-line">
            <PlainText text={answer} />
          </span>
        )}
      </div>
      <span className="row-times soft small">
        <Time at={at} />
      </span>
      <Button size="small" aria-label={`Send again from ${type}, ${messageId}`} onClick={onReplay}>
        Send again
      </Button>
    </li>
  );
}

function ReplayDialog({
  webhook,
  delivery,
  onClose,
}: {
  webhook: Webhook;
  delivery: Delivery;
  onClose: () => void;
}): ReactNode {
  const { name: workspace } = useWorkspace();
  const renew = useRenew();
  const attempts = useAttempts();
  const replay = useMutation({
    mutationFn: () => {
      const body = { delivery: delivery.number };
      const params = { path: { id: webhook.id }, header: { 'Idempotency-Key': attempts.keyFor(body) } };
      return dataOf(apiOf(workspace).POST('/webhooks/{id}/replays', { params, body }));
    },
    onSuccess: () => {
      onClose();
      showToast({ text: 'It is sent again.' });
    },
    onSettled: () => void renew(),
  });
  return (
    <ConfirmDialog
      title="Send again from here?"
      action="Send again"
      look="primary"
      sending={replay}
      onConfirm={() => replay.mutate()}
      onClose={onClose}
    >
      <p>
        This message and everything after it are sent once more, in order and under the same ids. A receiver that knows
        an id can leave it out.
      </p>
    </ConfirmDialog>
  );
}
