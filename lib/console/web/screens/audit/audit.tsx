import type { ReactNode } from 'react';
import { Problem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { Page } from '../../design/page.tsx';
import { ProblemState } from '../../design/state.tsx';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { CheckPage } from './check-page.tsx';
import { ReadersPage } from './readers-page.tsx';
import { RecordsPage } from './records-page.tsx';

const nothing = new Problem('NOT_FOUND', 'There is no such page.');

/** The audit log: who read a place, what was done, and whether the log is whole. */
export function Audit({ rest }: ScreenProps): ReactNode {
  const { is_admin: isAdmin } = useWorkspace();
  if (rest === '') return <ReadersPage />;
  if (rest === 'records') return <RecordsPage />;
  if (rest === 'check' && isAdmin) return <CheckPage />;
  return (
    <Page title="Not found" heading={<span className="visually-hidden">Not found</span>}>
      <ProblemState error={nothing} />
    </Page>
  );
}
