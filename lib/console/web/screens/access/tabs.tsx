import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { addressOf } from '../../shell/addresses.ts';

/** The two halves of the screen. */
export function AccessTabs({ current }: { current: 'principals' | 'groups' }): ReactNode {
  const { name } = useWorkspace();
  return (
    <nav className="access-tabs" aria-label="Access">
      <Link href={addressOf.access(name)} aria-current={current === 'principals' ? 'page' : undefined}>
        People and agents
      </Link>
      <Link href={addressOf.groups(name)} aria-current={current === 'groups' ? 'page' : undefined}>
        Groups
      </Link>
    </nav>
  );
}
