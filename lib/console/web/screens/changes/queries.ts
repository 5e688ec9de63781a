import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';

type Schemas = components['schemas'];
export type RecentChange = Schemas['RecentChange'];
export type Action = RecentChange['action'];
type Page = Schemas['RecentChangePage'];

export const pageSize = 100;

/** What is asked for. */
export interface Asked {
  readonly folder: string;
  readonly action: Action | '';
  /** RFC 3339. */
  readonly since: string;
}

/** What changed lately, the last change first. */
export function useRecentChanges(workspace: string, asked: Asked): UseInfiniteQueryResult<InfiniteData<Page>> {
  const { folder, action, since } = asked;
  return useInfiniteQuery({
    queryKey: ['recent-changes', workspace, folder, action, since],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = {
        since,
        limit: pageSize,
        ...(folder !== '' && { location: folder }),
        ...(action !== '' && { action }),
        ...(cursor !== undefined && { cursor }),
      };
      return dataOf(apiOf(workspace).GET('/recent-changes', { params: { query }, signal }));
    },
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });
}
