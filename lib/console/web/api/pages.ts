import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query';

interface Page<Item> {
  readonly items: Item[];
  readonly next_cursor: string | null;
}

export type Pages<Item> = UseInfiniteQueryResult<InfiniteData<Page<Item>>>;

/** A list that is read page by page. */
export function usePages<Item>(
  key: readonly unknown[],
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
  isWanted = true,
): Pages<Item> {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    enabled: isWanted,
  });
}

/** The items of all pages so far. */
export function itemsOf<Item>(pages: Pages<Item>): readonly Item[] | undefined {
  return pages.data?.pages.flatMap(({ items }) => items);
}

/** Leaves out what is not given: the API takes no empty parameter. */
export function given<Query extends object>(query: Query): { [Name in keyof Query]?: NonNullable<Query[Name]> } {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== '')) as never;
}
