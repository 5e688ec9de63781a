import type { ReactNode } from 'react';
import { Panel } from '../../design/page.tsx';
import type { Overview } from './overview-queries.ts';

const numbers = new Intl.NumberFormat();

/** What is begun and not done yet, each with how much of it there is. */
function listWork({
  repository,
  search,
  connectors,
  webhooks,
  erases,
}: Overview): readonly (readonly [string, number])[] {
  const unread = search.documents === null ? 0 : Math.max(0, search.documents - (search.done ?? 0));
  return [
    ['Objects on their way into the repository', repository.objects],
    ['Documents that the search has to read', unread],
    ['Mirrors that wait for a person', connectors.length],
    ['Webhooks that have stopped', webhooks.length],
    ['Erases under way', erases.open],
  ];
}

/** Waiting work as bars, each with its number in words. */
export function Waiting({ found }: { found: Overview }): ReactNode {
  const work = listWork(found).filter(([, count]) => count > 0);
  const most = Math.max(...work.map(([, count]) => count));
  return (
    <Panel title="Waiting work">
      {work.length === 0 ? (
        <p>Nothing waits.</p>
      ) : (
        <ul className="waiting" aria-label="Waiting work">
          {work.map(([name, count]) => (
            <li key={name}>
              <span>{name}</span>
              <span className="waiting-count">{numbers.format(count)}</span>
              <span className="waiting-bar" aria-hidden>
                <span style={{ width: `${(100 * count) / most}%` }} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
