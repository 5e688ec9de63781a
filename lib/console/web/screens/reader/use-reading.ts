import { useQuery, useQueryClient, type QueryClient, type UseQueryResult } from '@tanstack/react-query';
import { apiAddress, request } from '../../api/client.ts';
import type { components } from '../../api/described.d.ts';
import { encodeLocation } from '../../navigation/addresses.ts';

type Schemas = components['schemas'];
export type Reading = Schemas['Reading'];
export type Claim = Schemas['HeldClaim'];
export type ListedComment = Schemas['ListedComment'];

const keyOf = (workspace: string, location: string) => ['reading', workspace, location] as const;

/** A document with its text, as of one version. @param version left out: the current one */
export function useReading(workspace: string, location: string, version: string | undefined): UseQueryResult<Reading> {
  return useQuery({
    queryKey: [...keyOf(workspace, location), version ?? 'current'],
    queryFn: async ({ signal }) => {
      const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
      const address = apiAddress(workspace, `/reader/${encodeLocation(location)}${query}`);
      return (await (await request(address, { signal })).json()) as Reading;
    },
    // An older version never changes; what changes at the current one is told.
    staleTime: 60_000,
  });
}

/** Reads the document again, wherever it is shown. */
export function readAgain(queries: QueryClient, workspace: string, location: string): Promise<void> {
  return queries.invalidateQueries({ queryKey: keyOf(workspace, location) });
}

export function useReadAgain(workspace: string, location: string): () => Promise<void> {
  const queries = useQueryClient();
  return () => readAgain(queries, workspace, location);
}
