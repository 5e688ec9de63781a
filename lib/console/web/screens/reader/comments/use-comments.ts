import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { apiOf, dataOf } from '../../../api/client.ts';
import type { ListedComment, Reading } from '../use-reading.ts';

/** A thread with its comments, the oldest first. */
export interface Thread {
  readonly id: string;
  readonly anchor: ListedComment['anchor'];
  readonly resolved: ListedComment['resolved'];
  readonly comments: readonly ListedComment[];
}

export interface Comments {
  readonly items: readonly ListedComment[];
  readonly threads: readonly Thread[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

const pageSize = 100;
const keyOf = (workspace: string, location: string) => ['comments', workspace, location] as const;

/**
 * @param version in which passages are found; left out: the current one
 * @param first those that came with the document
 */
export function useComments(
  workspace: string,
  location: string,
  version: string | undefined,
  first: Reading['comments'],
): Comments {
  const query = useInfiniteQuery({
    queryKey: [...keyOf(workspace, location), version ?? 'current'],
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        apiOf(workspace).GET('/comments', {
          params: {
            query: { location, limit: pageSize, ...(version && { version }), ...(pageParam && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: '',
    initialData: { pages: [first], pageParams: [''] },
    // What changes is told.
    staleTime: 60_000,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return {
    items,
    threads: gatherThreads(items),
    isLoading: query.data === undefined && query.error === null,
    error: query.error,
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
}

function gatherThreads(items: readonly ListedComment[]): Thread[] {
  const threads = new Map<string, Thread & { comments: ListedComment[] }>();
  for (const comment of items) {
    const { thread_id: id, anchor, resolved } = comment;
    const thread = threads.get(id) ?? { id, anchor, resolved, comments: [] };
    threads.set(id, thread);
    thread.comments.push(comment);
  }
  return [...threads.values()];
}

/** Reads the comments of a document again. */
export function useCommentsAgain(workspace: string, location: string): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: keyOf(workspace, location) });
}
