import type { UseQueryResult } from '@tanstack/react-query';
import type { components } from '../../api/described.d.ts';
import { usePages, useRead, type Pages } from '../../api/read.ts';

type Schemas = components['schemas'];
export type ErasePreview = Schemas['ErasePreview'];
export type Erasure = Schemas['Erasure'];

/** Milliseconds between two looks at an erase under way. */
const lookAgainAfter = 1500;

/** What would be destroyed. Never from a memory: it is what the person agrees to. */
export function useErasePreview(workspace: string, location: string, document: string): UseQueryResult<ErasePreview> {
  const key = ['erase', workspace, location, document];
  return useRead(workspace, key, '/erase-previews', { query: { location, document } }, { gcTime: 0, staleTime: 0 });
}

/** One receipt, followed until it is final. */
export function useErasure(workspace: string, erasure: string): UseQueryResult<Erasure> {
  return useRead(
    workspace,
    ['erasures', workspace, erasure],
    '/erasure',
    { query: { erasure } },
    {
      staleTime: 0,
      refetchInterval: ({ state }) => (state.data?.phase === 'final' || state.error !== null ? false : lookAgainAfter),
    },
  );
}

export function useErasures(workspace: string): Pages<Erasure> {
  return usePages(workspace, ['erasures', workspace], '/erasures', { query: { limit: 50 } });
}
