import type { ReactNode } from 'react';
import { Problem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { Page } from '../../design/page.tsx';
import { ProblemState } from '../../design/state.tsx';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { ConnectorList } from './connector-list.tsx';
import { ConnectorPage } from './connector-page.tsx';
import { NewConnector } from './new-connector.tsx';

const nothing = new Problem('NOT_FOUND', 'There is no such page.');

/** Mirrors of outside sources. For approvers of folders alone. */
export function Connectors({ rest }: ScreenProps): ReactNode {
  const { may_connect: mayConnect } = useWorkspace();
  if (mayConnect && !rest.includes('/')) {
    if (rest === '') return <ConnectorList />;
    if (rest === 'new') return <NewConnector />;
    return <ConnectorPage key={rest} id={rest} />;
  }
  return (
    <Page title="Not found" heading={<span className="visually-hidden">Not found</span>}>
      <ProblemState error={nothing} />
    </Page>
  );
}
