import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { addressOf } from '../../shell/addresses.ts';
import type { Filters } from './filters.ts';

/** The parts of the screen. A place and a time that were chosen go along. */
export function AuditTabs({
  current,
  filters,
}: {
  current: 'readers' | 'records' | 'check';
  filters?: Filters;
}): ReactNode {
  const { name, is_admin: isAdmin } = useWorkspace();
  const { location, time, from, to } = filters ?? {};
  const kept = { location, time, from, to };
  const tabs = [
    { part: 'readers', title: 'Who read this', more: '', href: addressOf.whoRead(name, kept) },
    { part: 'records', title: 'Records', more: '', href: addressOf.auditRecords(name, kept) },
    ...(isAdmin ? [{ part: 'check', title: 'Check', more: ' and export', href: addressOf.auditCheck(name) }] : []),
  ];
  return (
    <nav className="audit-tabs" aria-label="Audit log">
      {tabs.map(({ part, title, more, href }) => (
        <Link key={part} href={href} aria-current={part === current ? 'page' : undefined}>
          {title}
          <span className="wide-only">{more}</span>
        </Link>
      ))}
    </nav>
  );
}
