import { Plug, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { Badge } from '../../design/badge.tsx';
import { LinkButton } from '../../design/button.tsx';
import { Page } from '../../design/page.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { NextRun } from './next-run.tsx';
import { ConditionBadge } from './condition-badge.tsx';
import { useConnectors, type Connector } from './connector-queries.ts';
import { ConnectorTabs } from './connector-tabs.tsx';
import { conditionOf, startWithCapital, urgency, wordsOfKind, wordsOfOutcome } from './connector-words.ts';

/** All mirrors that the person manages. What waits for somebody comes first. */
export function ConnectorList(): ReactNode {
  const { name } = useWorkspace();
  const { data, error, refetch } = useConnectors();
  const add = (
    <LinkButton look="primary" icon={Plus} href={addressOf.newConnector(name)}>
      Mirror a source
    </LinkButton>
  );
  return (
    <Page title="Connectors" actions={add}>
      <ConnectorTabs current="sources" />
      <section className="panel" aria-label="Connectors">
        {data === undefined ? (
          <div className="connector-wait">
            {error === null ? (
              <Skeleton lines={5} />
            ) : (
              <ProblemState error={error} what="list" onRetry={() => void refetch()} />
            )}
          </div>
        ) : data.length === 0 ? (
          <State icon={Plug} title="Nothing is mirrored yet" actions={add}>
            <p>
              A connector keeps a folder here the same as a source elsewhere: a Git repository, a folder of Nextcloud, a
              bucket. The documents can be read and searched here, and are changed at the source.
            </p>
          </State>
        ) : (
          <ul className="rows" aria-label="Connectors">
            {data.toSorted(compare).map((connector) => (
              <Row key={connector.id} connector={connector} />
            ))}
          </ul>
        )}
      </section>
    </Page>
  );
}

const compare = (one: Connector, other: Connector): number =>
  urgency[conditionOf(one)] - urgency[conditionOf(other)] || one.name.localeCompare(other.name);

function Row({ connector }: { connector: Connector }): ReactNode {
  const { name } = useWorkspace();
  const { id, kind, location, source, last_run: lastRun, next_run_at: next, state } = connector;
  const condition = conditionOf(connector);
  const trouble = connector.reason ?? (condition === 'failing' || condition === 'partial' ? lastRun?.message : null);
  return (
    <li className="connector-row">
      <div className="row-main">
        <Link className="row-name" href={addressOf.connector(name, id)}>
          <bdi>{connector.name}</bdi>
        </Link>
        <span className="soft small row-line">
          <PlainText text={source} />
        </span>
        <span className="small row-line">
          <span className="soft">Into </span>
          <Link href={addressOf.folder(name, location)}>
            <bdi>{location}/</bdi>
          </Link>
        </span>
        {typeof trouble === 'string' && <span className="small connector-trouble">{trouble}</span>}
      </div>
      <span className="cluster">
        <Badge tone="connector">{wordsOfKind[kind].name}</Badge>
        <ConditionBadge connector={connector} />
      </span>
      <span className="row-times soft small">
        {lastRun === null ? (
          <span>No sync yet</span>
        ) : lastRun.outcome === null ? (
          <span>
            Began <Time at={lastRun.started_at} />
          </span>
        ) : (
          <span>
            {startWithCapital(wordsOfOutcome[lastRun.outcome].name)} <Time at={lastRun.started_at} />
          </span>
        )}
        {next !== null && lastRun?.outcome !== null && (
          <span>
            Next <NextRun at={next} />
          </span>
        )}
        {next === null && state !== 'active' && <span>No next sync</span>}
      </span>
    </li>
  );
}
