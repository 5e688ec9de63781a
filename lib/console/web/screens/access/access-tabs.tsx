import type { ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { SectionTabs } from '../../design/section-tabs.tsx';
import { addressOf } from '../../navigation/addresses.ts';

/** The two halves of the screen. */
export function AccessTabs({ current }: { current: 'principals' | 'groups' }): ReactNode {
  const { name } = useWorkspace();
  return (
    <SectionTabs
      label="Access"
      tabs={[
        { title: 'People and agents', href: addressOf.access(name), isCurrent: current === 'principals' },
        { title: 'Groups', href: addressOf.groups(name), isCurrent: current === 'groups' },
      ]}
    />
  );
}
