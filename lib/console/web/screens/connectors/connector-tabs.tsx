import type { ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { SectionTabs } from '../../design/section-tabs.tsx';
import { addressOf } from '../../navigation/addresses.ts';

/** What comes in from elsewhere, and what goes out. */
export function ConnectorTabs({ current }: { current: 'sources' | 'webhooks' }): ReactNode {
  const { name } = useWorkspace();
  return (
    <SectionTabs
      label="Connectors"
      tabs={[
        { title: 'Sources', href: addressOf.connectors(name), isCurrent: current === 'sources' },
        { title: 'Webhooks', href: addressOf.webhooks(name), isCurrent: current === 'webhooks' },
      ]}
    />
  );
}
