import type { ReactNode } from 'react';
import { Problem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { Page } from '../../design/page.tsx';
import { ProblemState } from '../../design/state.tsx';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { WebhookList } from './webhook-list.tsx';
import { WebhookPage } from './webhook-page.tsx';

const nothing = new Problem('NOT_FOUND', 'There is no such page.');

/** Addresses that are told what changes. For approvers of folders alone. */
export function Webhooks({ rest }: ScreenProps): ReactNode {
  const { may_connect: mayConnect } = useWorkspace();
  if (mayConnect && !rest.includes('/')) return rest === '' ? <WebhookList /> : <WebhookPage key={rest} id={rest} />;
  return (
    <Page title="Not found" heading={<span className="visually-hidden">Not found</span>}>
      <ProblemState error={nothing} />
    </Page>
  );
}
