import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { apiOf, dataOf } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';

type Schemas = components['schemas'];
export type Overview = Schemas['Overview'];
export type Activity = Schemas['Activity'];

const lookAgainAfter = 30_000;

/** How the workspace is, read again while the page is looked at. */
export function useOverview(workspace: string): UseQueryResult<Overview> {
  return useQuery({
    queryKey: ['overview', workspace],
    queryFn: ({ signal }) => dataOf(apiOf(workspace).GET('/overview', { signal })),
    refetchInterval: lookAgainAfter,
  });
}
