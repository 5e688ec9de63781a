import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { addressOf } from '../../shell/addresses.ts';

/** What comes in from elsewhere, and what goes out. */
export function ConnectorTabs({ current }: { current: 'sources' | 'webhooks' }): ReactNode {
  const { name } = useWorkspace();
  return (
    <nav className="access-tabs" aria-label="Connectors">
      <Link href={addressOf.connectors(name)} aria-current={current === 'sources' ? 'page' : undefined}>
        Sources
      </Link>
      <Link href={addressOf.webhooks(name)} aria-current={current === 'webhooks' ? 'page' : undefined}>
        Webhooks
      </Link>
    </nav>
  );
}
