import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { ProblemState, Skeleton } from './state.tsx';

interface PagedListProps<Item> {
  readonly pages: UseInfiniteQueryResult;
  readonly items: readonly Item[] | undefined;
  /** The list's name for screen readers. */
  readonly label: string;
  /** Shown where there is nothing. */
  readonly empty: ReactNode;
  readonly lines?: number;
  readonly children: (item: Item) => ReactNode;
}

/** A list that is read page by page, in each of its states. */
export function PagedList<Item>(props: PagedListProps<Item>): ReactNode {
  const { pages, items, label, empty, lines = 3, children } = props;
  if (items === undefined) {
    return (
      <div className="list-wait">
        {pages.error === null ? (
          <Skeleton lines={lines} />
        ) : (
          <ProblemState error={pages.error} what="list" onRetry={() => void pages.refetch()} />
        )}
      </div>
    );
  }
  if (items.length === 0) return empty;
  return (
    <>
      <ul className="rows" aria-label={label}>
        {items.map(children)}
      </ul>
      {pages.hasNextPage && (
        <div className="list-more">
          <Button isPending={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
    </>
  );
}
