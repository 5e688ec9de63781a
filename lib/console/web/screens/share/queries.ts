import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';

type Schemas = components['schemas'];
/** A place, the own role there, and where its grants can be changed. */
export type Sharing = Schemas['Sharing'];
/** A grant on the place or above it, with the kind of its subject. */
export type Share = Schemas['Share'];
/** Someone who can read the place, with all the ways. */
export type Reader = Schemas['Reader'];
/** A person, agent, connector or group that a text may mean. */
export type Found = Schemas['SharedWith'];

/** The key of all queries about access to a place. */
export const sharingKey = (workspace: string, location: string): string[] => ['sharing', workspace, location];

export function useSharing(workspace: string, location: string): UseQueryResult<Sharing> {
  return useQuery({
    queryKey: [...sharingKey(workspace, location), 'place'],
    queryFn: ({ signal }) => dataOf(apiOf(workspace).GET('/sharing', { params: { query: { location } }, signal })),
  });
}

interface Paged<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}
export type Pages<Item> = UseInfiniteQueryResult<InfiniteData<Paged<Item>>>;

const first: string | null = null;
const atCursor = (cursor: string | null) => (cursor === null ? {} : { cursor });

/** Grants on the place, and on the folders above, for approvers. */
export function useShares(workspace: string, { location, scope_type }: Sharing): Pages<Share> {
  return useInfiniteQuery({
    queryKey: [...sharingKey(workspace, location), 'shares'],
    initialPageParam: first,
    getNextPageParam: (page: Paged<Share>) => page.next_cursor,
    queryFn: ({ signal, pageParam }) => {
      const query = { scope_type, scope_id: location, limit: 200, ...atCursor(pageParam) };
      return dataOf(apiOf(workspace).GET('/shares', { params: { query }, signal }));
    },
  });
}

export function useReaders(workspace: string, location: string): Pages<Reader> {
  return useInfiniteQuery({
    queryKey: [...sharingKey(workspace, location), 'readers'],
    initialPageParam: first,
    getNextPageParam: (page: Paged<Reader>) => page.next_cursor,
    queryFn: ({ signal, pageParam }) => {
      const query = { location, limit: 50, ...atCursor(pageParam) };
      return dataOf(apiOf(workspace).GET('/readers', { params: { query }, signal }));
    },
  });
}

/** Whom a text may mean. Without a text: none. */
export function useFound(workspace: string, text: string): UseQueryResult<readonly Found[]> {
  return useQuery({
    queryKey: ['subjects', workspace, text],
    enabled: text !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await dataOf(apiOf(workspace).GET('/subjects', { params: { query: { text } }, signal }))).items,
  });
}
