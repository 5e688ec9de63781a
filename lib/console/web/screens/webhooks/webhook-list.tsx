import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Page } from '../../design/page.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { ConnectorTabs } from '../connectors/connector-tabs.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { useWebhooks, type MadeWebhook, type Webhook } from './webhook-queries.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { conditionOf } from './webhook-words.ts';

/** All webhooks that the person manages. What waits for somebody comes first. */
export function WebhookList(): ReactNode {
  const { data, error, refetch } = useWebhooks();
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<MadeWebhook>();
  const add = (
    <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
      Add webhook
    </Button>
  );
  return (
    <Page title="Webhooks" actions={add}>
      <ConnectorTabs current="webhooks" />
      <section className="panel" aria-label="Webhooks">
        {data === undefined ? (
          <div className="list-wait">
            {error === null ? (
              <Skeleton lines={4} />
            ) : (
              <ProblemState error={error} what="list" onRetry={() => void refetch()} />
            )}
          </div>
        ) : data.length === 0 ? (
          <State icon={WebhookIcon} title="No webhooks yet">
            <p>A webhook tells an address of yours what changes in a folder, moments after it happened.</p>
          </State>
        ) : (
          <ul className="rows" aria-label="Webhooks">
            {data.toSorted(compare).map((webhook) => (
              <Row key={webhook.id} webhook={webhook} />
            ))}
          </ul>
        )}
      </section>
      {isAdding && (
        <CreateDialog
          onClose={() => setAdding(false)}
          onMade={(webhook) => {
            setAdding(false);
            setMade(webhook);
          }}
        />
      )}
      {made !== undefined && <SecretDialog made={made} isNew onClose={() => setMade(undefined)} />}
    </Page>
  );
}

const compare = (one: Webhook, other: Webhook): number =>
  conditionOf(one).urgency - conditionOf(other).urgency || one.name.localeCompare(other.name);

function Row({ webhook }: { webhook: Webhook }): ReactNode {
  const { name: workspace } = useWorkspace();
  const { id, name, url, location, last_delivery: last } = webhook;
  const condition = conditionOf(webhook);
  return (
    <li className="webhook-row">
      <div className="row-main">
        <Link className="row-name" href={addressOf.webhook(workspace, id)}>
          <bdi>{name}</bdi>
        </Link>
        <span className="soft small row-line">
          <PlainText text={url} />
        </span>
        <span className="soft small row-line">
          What changes in <bdi>{location === '' ? 'the whole workspace' : `${location}/`}</bdi>
        </span>
      </div>
      <Badge tone={condition.tone}>{condition.name}</Badge>
      <span className="row-times soft small">
        {last === null ? 'Nothing sent yet' : <>Last sent {<Time at={last.at} />}</>}
      </span>
    </li>
  );
}
