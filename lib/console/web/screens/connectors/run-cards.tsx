import { History, SquareCheckBig } from 'lucide-react';
import type { ReactNode } from 'react';
import { itemsOf } from '../../api/read.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Panel } from '../../design/page.tsx';
import { PagedList } from '../../design/paged-list.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { formatSize } from '../../design/format-size.ts';
import {
  useRuns,
  useSkipped,
  type Connector,
  type ConnectorRun,
  type SkippedFile,
  type SkipReason,
} from './connector-queries.ts';
import {
  countFiles,
  formatDuration,
  wordsOfFault,
  wordsOfOutcome,
  wordsOfSkip,
  wordsOfTrigger,
} from './connector-words.ts';

/** Changes when a run begins or ends, so that lists about runs are read again. */
const seenOf = ({ last_run: run }: Connector): string => `${run?.number ?? 0} ${run?.outcome ?? ''}`;

/** The runs, the newest first. */
export function RunsCard({ connector }: { connector: Connector }): ReactNode {
  const pages = useRuns(connector.id, seenOf(connector));
  return (
    <Panel title="Syncs" isFlush>
      <PagedList
        pages={pages}
        items={itemsOf(pages)}
        label="Syncs"
        empty={
          <State icon={History} title="No sync yet">
            <p>The first one begins within moments of the connection.</p>
          </State>
        }
      >
        {(run) => <Run key={run.number} run={run} />}
      </PagedList>
    </Panel>
  );
}

function Run({ run }: { run: ConnectorRun }): ReactNode {
  const { started_at: startedAt, ended_at: endedAt, outcome, fault, message } = run;
  const counts = countsOf(run);
  return (
    <li className="run-row">
      <div className="row-main">
        <span className="cluster">
          {outcome === null ? (
            <Badge tone="info">under way</Badge>
          ) : (
            <Badge tone={wordsOfOutcome[outcome].tone}>{wordsOfOutcome[outcome].name}</Badge>
          )}
          <span className="soft small">{wordsOfTrigger[run.trigger]}</span>
        </span>
        <span className="small">{counts}</span>
        {fault !== null && <span className="small run-fault">{wordsOfFault[fault].title}.</span>}
        {message !== null && <span className="soft small row-line">{message}</span>}
      </div>
      <span className="row-times soft small">
        <Time at={startedAt} />
        {endedAt !== null && <span>took {formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}</span>}
      </span>
    </li>
  );
}

function countsOf({ listed, created, updated, moved, deleted, skipped, bytes }: ConnectorRun): string {
  const parts = [
    [created, 'new'],
    [updated, 'updated'],
    [moved, 'moved'],
    [deleted, 'deleted'],
    [skipped, 'left out'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${count.toLocaleString('en')} ${word}`);
  const seen = listed > 0 ? [`${countFiles(listed)} seen`] : [];
  const read = bytes > 0 ? [`${formatSize(bytes)} read`] : [];
  return [...seen, ...said, ...read].join(' · ');
}

/** The files of the source that are not in the mirror, by reason, with what to do. */
export function SkippedCard({ connector }: { connector: Connector }): ReactNode {
  const pages = useSkipped(connector.id, seenOf(connector));
  const items = itemsOf(pages);
  return (
    <Panel title="Left out" isFlush>
      {items === undefined ? (
        <div className="list-wait">
          {pages.error === null ? (
            <Skeleton lines={2} />
          ) : (
            <ProblemState error={pages.error} what="list" onRetry={() => void pages.refetch()} />
          )}
        </div>
      ) : items.length === 0 ? (
        <State icon={SquareCheckBig} title="No file is left out">
          <p>Every file that the last sync saw is in the mirror.</p>
        </State>
      ) : (
        <>
          {[...groupByReason(items)].map(([reason, files]) => (
            <SkippedGroup key={reason} reason={reason} files={files} />
          ))}
          {pages.hasNextPage && (
            <div className="list-more">
              <Button isPending={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
                Load more
              </Button>
            </div>
          )}
        </>
      )}
    </Panel>
  );
}

function groupByReason(files: readonly SkippedFile[]): ReadonlyMap<SkipReason, readonly SkippedFile[]> {
  const groups = new Map<SkipReason, SkippedFile[]>();
  for (const file of files) groups.set(file.reason, [...(groups.get(file.reason) ?? []), file]);
  return groups;
}

function SkippedGroup({ reason, files }: { reason: SkipReason; files: readonly SkippedFile[] }): ReactNode {
  const { title, remedy } = wordsOfSkip[reason];
  return (
    <div className="skipped-group">
      <h3>{title}</h3>
      <p className="soft small">{remedy}</p>
      <ul className="skipped-files" aria-label={title}>
        {files.map(({ path, detail }) => (
          <li key={path}>
            <code>
              <PlainText text={path} />
            </code>
            {detail !== null && (
              <span className="soft small">
                {' '}
                <PlainText text={detail} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
