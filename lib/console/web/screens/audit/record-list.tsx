import { Ban, Check } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { Badge, Who } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { formatExact, Time } from '../../design/time.tsx';
import { describeAction, describeInterface } from './describe-record.ts';
import type { AuditEntry } from './audit-queries.ts';
import { RecordDialog } from './record-dialog.tsx';

/** Records, the newest first. Each opens to all its fields. */
export function RecordList({ records }: { records: readonly AuditEntry[] }): ReactNode {
  const [opened, setOpened] = useState<AuditEntry>();
  return (
    <>
      <ol className="rows" aria-label="Records">
        {records.map((record) => (
          <Row key={record.id} record={record} onOpen={() => setOpened(record)} />
        ))}
      </ol>
      {opened !== undefined && <RecordDialog record={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function Row({ record, onOpen }: { record: AuditEntry; onOpen: () => void }): ReactNode {
  const { at, action, outcome, code, target } = record;
  const isRefused = outcome === 'refused';
  const Icon = isRefused ? Ban : Check;
  return (
    <li className={isRefused ? 'audit-row refused' : 'audit-row'}>
      <Icon className="audit-outcome" aria-hidden />
      <div className="audit-main">
        <div className="audit-line">
          <span className="audit-what">{describeAction(action)}</span>
          {target !== null && (
            <bdi className="audit-target">
              <PlainText text={target === '' ? 'the whole workspace' : target} />
            </bdi>
          )}
          {isRefused && <Badge tone="danger">refused{code !== null && `: ${code}`}</Badge>}
        </div>
        <div className="audit-line soft small">
          <Doer record={record} />
          <Time at={at} />
          <span>by {describeInterface(record.interface)}</span>
        </div>
      </div>
      <Button
        size="small"
        look="quiet"
        onClick={onOpen}
        aria-label={`Details: ${describeAction(action)}${target === null ? '' : ` ${target}`}, ${formatExact(at)}`}
      >
        Details
      </Button>
    </li>
  );
}

/** Who did it: a request without a valid sign-in or token has no author. */
export function Doer({ record }: { record: AuditEntry }): ReactNode {
  const { principal } = record;
  const { principal_id: me } = useWorkspace();
  if (principal === null) return <span>no one who was signed in</span>;
  return (
    <span className="audit-who">
      <Who name={principal.display_name} kind={principal.kind} />
      {principal.id === me && <span>you</span>}
      <KeyMaker record={record} />
    </span>
  );
}

/** Where somebody else made the key of a person: that one knows its secret, and may have done it. */
export function KeyMaker({ record: { key_made_by: maker } }: { record: AuditEntry }): ReactNode {
  if (maker === null) return null;
  return (
    <Badge tone="warning">
      by a key made by <bdi>{maker.display_name}</bdi>
    </Badge>
  );
}
