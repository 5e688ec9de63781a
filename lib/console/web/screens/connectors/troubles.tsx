import type { ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { Time } from '../../design/time.tsx';
import { formatSize } from '../../design/format-size.ts';
import { NextTime } from '../../design/next-time.tsx';
import type { Connector, ConnectorRun } from './connector-queries.ts';
import { conditionOf, countFiles, wordsOfFault } from './connector-words.ts';

interface TroublesProps {
  readonly connector: Connector;
  readonly onApprove: () => void;
  /** Left out where the kind has no credential. */
  readonly onRotate: (() => void) | undefined;
  readonly onChange: () => void;
}

/** What is going on, or wrong, in plain words, with the way out. */
export function Troubles({ connector, onApprove, onRotate, onChange }: TroublesProps): ReactNode {
  const { last_run: lastRun, reason, next_run_at: next } = connector;
  switch (conditionOf(connector)) {
    case 'held':
      return (
        <Notice
          tone="danger"
          title="A large deletion waits for your approval"
          action={
            <Button size="small" look="danger" onClick={onApprove}>
              Look and approve…
            </Button>
          }
        >
          <p>{reason}</p>
          <p className="soft small">Nothing has been deleted. To refuse it, pause the connector and mend the source.</p>
        </Notice>
      );
    case 'stopped': {
      const fault = lastRun?.fault ?? null;
      return (
        <Notice
          tone="danger"
          title={fault === null ? 'The mirror has stopped' : wordsOfFault[fault].title}
          action={
            fault === 'auth' && onRotate !== undefined ? (
              <Button size="small" look="primary" onClick={onRotate}>
                Replace credential
              </Button>
            ) : (
              <Button size="small" onClick={onChange}>
                Change settings
              </Button>
            )
          }
        >
          <p>{reason}</p>
          <p className="soft small">
            {fault !== null && `${wordsOfFault[fault].remedy} `}What was mirrored stays as it was. When the cause is
            mended, press Sync now.
          </p>
        </Notice>
      );
    }
    case 'failing': {
      const fault = lastRun?.fault ?? null;
      return (
        <Notice tone="warning" title={fault === null ? 'The last sync failed' : wordsOfFault[fault].title}>
          <p>{lastRun?.message}</p>
          <p className="soft small">
            {fault !== null && `${wordsOfFault[fault].remedy} `}
            {next !== null && (
              <>
                Next try <NextTime at={next} />.
              </>
            )}
          </p>
        </Notice>
      );
    }
    case 'partial':
      return (
        <Notice tone="warning" title="Some files could not be read">
          <p>{lastRun?.message ?? 'They stay as they were, and are tried again.'}</p>
        </Notice>
      );
    case 'running':
      return lastRun === null ? null : <Progress run={lastRun} isFirst={connector.synced_at === null} />;
    case 'waiting':
      return (
        <Notice title="The first sync begins in a moment">
          <p>This page shows how far it is.</p>
        </Notice>
      );
    case 'paused':
      return (
        <Notice title="Paused">
          <p>What is mirrored stays and can be read. Nothing is fetched until somebody resumes it.</p>
        </Notice>
      );
    case 'over':
      return (
        <Notice title="Disconnected">
          <p>The connection is over, and its credential is deleted. Connect the source again if you need it.</p>
        </Notice>
      );
    case 'well':
      return null;
  }
}

function sayProgress({ listed, bytes, created }: ConnectorRun): string {
  if (listed === 0) return 'Looking at the source…';
  const added = created === 0 ? '' : `, ${created.toLocaleString('en')} added`;
  return `${countFiles(listed)} seen, ${formatSize(bytes)} read${added} so far.`;
}

/** How far a run is. How much there is in all is not known, so there is no percentage. */
function Progress({ run, isFirst }: { run: ConnectorRun; isFirst: boolean }): ReactNode {
  return (
    <div className="notice sync-progress" role="status">
      <div className="notice-text">
        <p className="notice-title">{isFirst ? 'First sync under way' : 'Sync under way'}</p>
        <p>
          {sayProgress(run)}{' '}
          <span className="soft">
            Began <Time at={run.started_at} />.
          </span>
        </p>
        {isFirst && <p className="soft small">You can leave this page. Documents appear once every file is read.</p>}
        <progress className="sync-bar" aria-label="Sync under way" />
      </div>
    </div>
  );
}
