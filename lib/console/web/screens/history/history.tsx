import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import type { ScreenProps } from '../../shell/screens.ts';
import { Changes } from './changes.tsx';
import { Lines } from './lines.tsx';
import { Restoration } from './restoration.tsx';
import { Timeline } from './timeline.tsx';

/** What happened to a document: its timeline, the changes between two versions, and who wrote each line. */
export function History({ rest }: ScreenProps): ReactNode {
  const [query] = useSearchParams();
  const get = (name: string): string | undefined => query.get(name) ?? undefined;
  const [from, to, lines, restored] = [get('from'), get('to'), get('lines'), get('restore')];
  if (restored !== undefined) return <Restoration key={restored} location={rest} version={restored} />;
  if (lines !== undefined) {
    return <Lines key={lines} location={rest} version={lines === 'current' ? undefined : lines} />;
  }
  if (from !== undefined || to !== undefined)
    return <Changes key={`${from} ${to}`} location={rest} from={from} to={to} />;
  return <Timeline location={rest} />;
}
