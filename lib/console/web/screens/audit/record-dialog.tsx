import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { Who } from '../../design/badge.tsx';
import { LinkButton } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { describeAction, describeInterface } from './describe-record.ts';
import type { AuditEntry } from './audit-queries.ts';

interface Fact {
  readonly name: string;
  readonly value: ReactNode;
  /** Offered to be copied. */
  readonly copied?: string | null;
}

const none = <span className="soft">none</span>;
const code = (text: string | null): ReactNode => (text === null ? none : <code>{text}</code>);

/** Every field of a record, and the ways to the records beside it. */
export function RecordDialog({ record, onClose }: { record: AuditEntry; onClose: () => void }): ReactNode {
  const { name } = useWorkspace();
  const { principal, request_id: request, target } = record;
  return (
    <Dialog
      title={describeAction(record.action)}
      size="wide"
      onClose={onClose}
      footer={
        <>
          {principal !== null && (
            <LinkButton href={addressOf.auditRecords(name, { principal: principal.id })}>
              All by {principal.display_name}
            </LinkButton>
          )}
          {request !== null && (
            <LinkButton href={addressOf.auditRecords(name, { request })}>All of this request</LinkButton>
          )}
        </>
      }
    >
      <dl className="facts audit-facts">
        {factsOf(record, name, target).map(({ name: title, value, copied }) => (
          <Fragment key={title}>
            <dt>{title}</dt>
            <dd>
              {value}
              {typeof copied === 'string' && <CopyButton text={copied} label={`Copy ${title.toLowerCase()}`} />}
            </dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  );
}

function factsOf(record: AuditEntry, workspace: string, target: string | null): readonly Fact[] {
  const { principal, document_id: document, version } = record;
  const isRefused = record.outcome === 'refused';
  return [
    {
      name: 'When',
      value: (
        <>
          <Time at={record.at} form="exact" /> <code className="soft">{record.at}</code>
        </>
      ),
    },
    {
      name: 'Who',
      value:
        principal === null ? 'No one who was signed in' : <Who name={principal.display_name} kind={principal.kind} />,
    },
    { name: 'Principal', value: code(principal?.id ?? null), copied: principal?.id ?? null },
    { name: 'Token', value: code(record.credential), copied: record.credential },
    ...(record.key_made_by === null
      ? []
      : [
          {
            name: 'Token made by',
            value: <Who name={record.key_made_by.display_name} kind={record.key_made_by.kind} />,
          },
        ]),
    { name: 'By', value: describeInterface(record.interface) },
    { name: 'Action', value: code(record.action) },
    { name: 'Outcome', value: isRefused ? <>Refused {record.code !== null && code(record.code)}</> : 'Done' },
    { name: 'Target', value: <Target record={record} workspace={workspace} />, copied: target === '' ? null : target },
    { name: 'Document id', value: code(document), copied: document },
    { name: 'Version', value: code(version), copied: version },
    { name: 'Request id', value: code(record.request_id), copied: record.request_id },
    { name: 'Details', value: <Detail detail={record.detail} /> },
    ...(record.seq === null ? [] : [{ name: 'Number in the chain', value: String(record.seq) }]),
    ...(record.hash === null ? [] : [{ name: 'Hash', value: code(record.hash), copied: record.hash }]),
  ];
}

/** A place as a link to what is there now; every other target as it is. */
function Target({ record, workspace }: { record: AuditEntry; workspace: string }): ReactNode {
  const { target, document_id: document } = record;
  if (target === null) return none;
  if (target === '') return 'The whole workspace';
  const text = (
    <bdi>
      <PlainText text={target} />
    </bdi>
  );
  return document === null ? text : <Link href={addressOf.document(workspace, target)}>{text}</Link>;
}

function Detail({ detail }: { detail: AuditEntry['detail'] }): ReactNode {
  if (detail === null) return none;
  return (
    <pre className="audit-detail">
      <PlainText text={JSON.stringify(detail, null, 2)} />
    </pre>
  );
}
