import type { ReactNode } from 'react';
import type { components } from '../api/described.d.ts';
import { addressOf } from '../navigation/addresses.ts';
import { LinkButton } from './button.tsx';
import { Notice } from './notice.tsx';
import { Time } from './time.tsx';

interface MirrorNoticeProps {
  readonly workspace: string;
  readonly what: 'folder' | 'document';
  readonly source: components['schemas']['Source'] | null;
  /** Whether the person may manage the connector. */
  readonly isManager: boolean;
}

/** Says that a place is a mirror, and of what. */
export function MirrorNotice({ workspace, what, source, isManager }: MirrorNoticeProps): ReactNode {
  return (
    <Notice
      title={`This ${what} is a mirror`}
      action={
        isManager &&
        source !== null && (
          <LinkButton size="small" href={addressOf.connector(workspace, source.connector.id)}>
            Show connector
          </LinkButton>
        )
      }
    >
      <p>
        {source === null ? 'A connector' : `The connector “${source.connector.display_name}”`} keeps it the same as its
        source. It can be read here, and is changed there.
        {typeof source?.synced_at === 'string' && (
          <>
            {' '}
            Last synced <Time at={source.synced_at} />.
          </>
        )}
      </p>
    </Notice>
  );
}
