import type { ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { SectionTabs, type SectionTab } from '../../design/section-tabs.tsx';
import { addressOf } from '../../navigation/addresses.ts';
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
  const check: SectionTab = {
    title: 'Check',
    more: 'and export',
    href: addressOf.auditCheck(name),
    isCurrent: current === 'check',
  };
  return (
    <SectionTabs
      label="Audit log"
      tabs={[
        { title: 'Who read this', href: addressOf.whoRead(name, kept), isCurrent: current === 'readers' },
        { title: 'Records', href: addressOf.auditRecords(name, kept), isCurrent: current === 'records' },
        ...(isAdmin ? [check] : []),
      ]}
    />
  );
}
