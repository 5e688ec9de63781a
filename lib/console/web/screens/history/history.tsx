import { useEffect, useRef, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { Changes } from './version-changes.tsx';
import { Lines } from './lines.tsx';
import { Restoration } from './restoration.tsx';
import { Timeline } from './timeline.tsx';

/** What happened to a document: its timeline, the changes between two versions, and who wrote each line. */
export function History({ rest }: ScreenProps): ReactNode {
  const [query] = useSearchParams();
  const get = (name: string): string | undefined => query.get(name) ?? undefined;
  const [from, to, lines, restored] = [get('from'), get('to'), get('lines'), get('restore')];
  const isComparison = from !== undefined || to !== undefined;
  useFocusOnNew(`${restored} ${lines} ${isComparison}`);
  if (restored !== undefined) return <Restoration key={restored} location={rest} version={restored} />;
  if (lines !== undefined) {
    return <Lines key={lines} location={rest} version={lines === 'current' ? undefined : lines} />;
  }
  if (isComparison) return <Changes location={rest} from={from} to={to} />;
  return <Timeline location={rest} />;
}

/** A new view is read from its start, also where only the query of the address is new. */
function useFocusOnNew(view: string): void {
  const before = useRef(view);
  useEffect(() => {
    if (before.current === view) return;
    before.current = view;
    document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [view]);
}
