import type { ReactNode } from 'react';
import { Problem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { Page } from '../../design/page.tsx';
import { ProblemState } from '../../design/state.tsx';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { GroupPage } from './group-page.tsx';
import { GroupsPage } from './groups-page.tsx';
import { PrincipalPage } from './principal-page.tsx';
import { PrincipalsPage } from './principals-page.tsx';

const nothing = new Problem('NOT_FOUND', 'There is no such page.');

/** Who works in the workspace, in which groups, and with which tokens. For its admins alone. */
export function Access({ rest }: ScreenProps): ReactNode {
  const { is_admin: isAdmin } = useWorkspace();
  const [part = '', id = '', ...more] = rest.split('/');
  if (isAdmin && more.length === 0) {
    if (part === '' && id === '') return <PrincipalsPage />;
    if (part === 'principals' && id !== '') return <PrincipalPage key={id} id={id} />;
    if (part === 'groups' && id === '') return <GroupsPage />;
    if (part === 'groups') return <GroupPage key={id} id={id} />;
  }
  return (
    <Page title="Not found" heading={<span className="visually-hidden">Not found</span>}>
      <ProblemState error={nothing} />
    </Page>
  );
}
