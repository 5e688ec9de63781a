import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { components } from '../../api/described.d.ts';
import { given, usePages, useRead } from '../../api/read.ts';
import { useRecentChanges } from '../changes/change-queries.ts';

type Schemas = components['schemas'];
export type Preview = Schemas['RevertPreview'];
export type PreviewItem = Preview['items'][number];
export type Reverted = Schemas['Revert'];
export type Writer = Schemas['Principal'];

/** Whose changes are undone, where, and since when. */
export interface Wanted {
  readonly folder: string;
  readonly principal: string;
  /** RFC 3339. */
  readonly since: string;
}

const pageSize = 100;

/** What an undo would do. Never from a memory: it is what the person agrees to. */
export function usePreview(workspace: string, wanted: Wanted): UseInfiniteQueryResult<InfiniteData<Preview>> {
  const { folder, principal, since } = wanted;
  return usePages(
    workspace,
    ['undo', workspace, folder, principal, since],
    '/reverts',
    { query: { principal_id: principal, since, limit: pageSize, ...given({ location: folder }) } },
    { enabled: principal !== '', gcTime: 0, staleTime: Number.POSITIVE_INFINITY },
  );
}

/** Those who changed something in the folder since then, the latest first. */
export function useWriters(workspace: string, { folder, since }: Wanted): readonly Writer[] {
  const { data } = useRecentChanges(workspace, { folder, action: '', since });
  const writers = new Map<string, Writer>();
  for (const { by } of data?.pages.flatMap(({ items }) => items) ?? []) {
    for (const each of by) if (!writers.has(each.id)) writers.set(each.id, each);
  }
  return [...writers.values()];
}

/** The name of a principal, for those who administer the workspace. */
export function usePrincipalName(workspace: string, principal: string, isWanted: boolean): UseQueryResult<Writer> {
  const key = [workspace, 'access', 'principal', principal];
  return useRead(workspace, key, '/principal', { query: { principal } }, { enabled: isWanted && principal !== '' });
}
