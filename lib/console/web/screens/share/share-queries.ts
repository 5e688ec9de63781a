import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import type { components } from '../../api/described.d.ts';
import { usePages, useRead, type Pages } from '../../api/read.ts';

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
  return useRead(workspace, [...sharingKey(workspace, location), 'place'], '/sharing', { query: { location } });
}

/** Grants on the place, and on the folders above, for approvers. */
export function useShares(workspace: string, { location, scope_type }: Sharing): Pages<Share> {
  const query = { scope_type, scope_id: location, limit: 200 };
  return usePages(workspace, [...sharingKey(workspace, location), 'shares'], '/shares', { query });
}

export function useReaders(workspace: string, location: string): Pages<Reader> {
  const query = { location, limit: 50 };
  return usePages(workspace, [...sharingKey(workspace, location), 'readers'], '/readers', { query });
}

/** Whom a text may mean. Without a text: none. */
export function useFound(workspace: string, text: string): UseQueryResult<readonly Found[]> {
  return useRead(
    workspace,
    ['subjects', workspace, text],
    '/subjects',
    { query: { text } },
    { enabled: text !== '', placeholderData: keepPreviousData, select: ({ items }) => items },
  );
}
