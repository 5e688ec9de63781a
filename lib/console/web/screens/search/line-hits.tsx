import { FileText, Search as SearchIcon, SearchX } from 'lucide-react';
import { useEffect, useId, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { components } from '../../api/described.d.ts';
import { given, itemsOf, usePages } from '../../api/read.ts';
import { announce } from '../../design/announce.tsx';
import { Button } from '../../design/button.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { addressOf, folderOf } from '../../navigation/addresses.ts';

const pageSize = 50;

type Item = components['schemas']['FoundLine'] | components['schemas']['PassedDocument'];

interface FoundDocument {
  readonly location: string;
  readonly items: readonly Item[];
}

/** Items that follow each other and are of one document. */
function groupByDocument(items: readonly Item[]): FoundDocument[] {
  const groups: { location: string; items: Item[] }[] = [];
  for (const item of items) {
    const { location } = item.document;
    const last = groups.at(-1);
    if (last?.location === location) last.items.push(item);
    else groups.push({ location, items: [item] });
  }
  return groups;
}

/** Lines that hold a text, or fit a pattern, document by document. */
export function LineHits({
  workspace,
  q,
  match,
  location,
  label,
}: {
  workspace: string;
  q: string;
  match: 'exact' | 'pattern';
  location: string;
  label: string;
}): ReactNode {
  const id = useId();
  const found = usePages(workspace, ['lines', workspace, q, match, location, label], '/search/lines', {
    query: { q, match, context: 0, limit: pageSize, ...given({ location, label }) },
  });
  const items = itemsOf(found);
  const isEmpty = items?.length === 0;
  useEffect(() => {
    if (found.isSuccess) announce(isEmpty ? 'No lines found.' : `Lines for ${q}.`);
  }, [found.isSuccess, isEmpty, q]);
  if (found.error !== null) {
    return <ProblemState error={found.error} what="search" onRetry={() => void found.refetch()} />;
  }
  if (items === undefined) return <Skeleton lines={8} label="Searching" />;
  return (
    <>
      {isEmpty ? (
        <State
          icon={found.hasNextPage ? SearchIcon : SearchX}
          title={found.hasNextPage ? 'Nothing found yet' : 'No lines found'}
        >
          <p>
            {found.hasNextPage
              ? 'Only some of the documents have been searched so far.'
              : 'No line of a text that you can reach is like this. Upper and lower case differ here.'}
          </p>
        </State>
      ) : (
        <>
          <h2 id={id} className="visually-hidden">
            Lines
          </h2>
          <ol className="hits" aria-labelledby={id}>
            {groupByDocument(items).map((group) => (
              <DocumentLines key={group.location} group={group} workspace={workspace} />
            ))}
          </ol>
        </>
      )}
      {found.hasNextPage && (
        <Button isPending={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {isEmpty ? 'Search on' : 'Load more'}
        </Button>
      )}
    </>
  );
}

function DocumentLines({ group, workspace }: { group: FoundDocument; workspace: string }): ReactNode {
  const { location, items } = group;
  const folder = folderOf(location);
  return (
    <li className="hit">
      <FileText aria-hidden />
      <div className="hit-text">
        <Link href={addressOf.document(workspace, location)} className="hit-name">
          <bdi>{folder === '' ? location : location.slice(folder.length + 1)}</bdi>
        </Link>
        <p className="hit-place soft small">
          <bdi>{folder === '' ? 'Top level' : folder}</bdi>
        </p>
        <ol className="hit-lines">
          {items.map((item) =>
            'line' in item ? (
              <li key={item.line}>
                <span className="soft small">
                  <span className="visually-hidden">Line </span>
                  {item.line}
                </span>{' '}
                <code>
                  <bdi>{item.text}</bdi>
                </code>
              </li>
            ) : (
              <li key="changed" className="soft small">
                Changed meanwhile: the lines that were left are not shown.
              </li>
            ),
          )}
        </ol>
      </div>
    </li>
  );
}
