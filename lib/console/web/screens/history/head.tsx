import type { ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { Page } from '../../design/page.tsx';
import { crumbsOf, type Crumb } from '../../navigation/crumbs.ts';
import { addressOf, nameOf, viewOf } from '../../navigation/addresses.ts';

interface HistoryPageProps {
  readonly location: string;
  /** Left out: the timeline itself. */
  readonly view?: string;
  readonly title: string;
  readonly actions?: ReactNode;
  readonly size?: 'wide';
  readonly children: ReactNode;
}

/** A view of a document's history, with the way back to the document and its folders. */
export function HistoryPage({ location, view, title, actions, size, children }: HistoryPageProps): ReactNode {
  const { name } = useWorkspace();
  const crumbs: Crumb[] = [
    ...crumbsOf(name, location).slice(0, -1),
    { name: nameOf(location), href: addressOf.document(name, location) },
    { name: 'History', ...(view !== undefined && { href: viewOf.timeline(name, location) }) },
    ...(view === undefined ? [] : [{ name: view }]),
  ];
  return (
    <Page title={title} crumbs={crumbs} actions={actions} {...(size && { size })}>
      {children}
    </Page>
  );
}
