import {
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';

type Schemas = components['schemas'];
export type ErasePreview = Schemas['ErasePreview'];
export type Erasure = Schemas['Erasure'];
type Page = Schemas['ErasurePage'];

/** Milliseconds between two looks at an erase under way. */
const lookAgainAfter = 1500;

/** What would be destroyed. Never from a memory: it is what the person agrees to. */
export function useErasePreview(workspace: string, location: string, document: string): UseQueryResult<ErasePreview> {
  return useQuery({
    queryKey: ['erase', workspace, location, document],
    queryFn: ({ signal }) =>
      dataOf(apiOf(workspace).GET('/erase-previews', { params: { query: { location, document } }, signal })),
    gcTime: 0,
    staleTime: 0,
  });
}

/** One receipt, followed until it is final. */
export function useErasure(workspace: string, erasure: string): UseQueryResult<Erasure> {
  return useQuery({
    queryKey: ['erasures', workspace, erasure],
    queryFn: ({ signal }) => dataOf(apiOf(workspace).GET('/erasure', { params: { query: { erasure } }, signal })),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.phase === 'final' || state.error !== null ? false : lookAgainAfter),
  });
}

export function useErasures(workspace: string): UseInfiniteQueryResult<InfiniteData<Page>> {
  return useInfiniteQuery({
    queryKey: ['erasures', workspace],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      dataOf(
        apiOf(workspace).GET('/erasures', { params: { query: { limit: 50, ...(cursor && { cursor }) } }, signal }),
      ),
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });
}
