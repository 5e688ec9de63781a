import type { components } from '../../api/described.d.ts';
import { given, usePages, type Pages } from '../../api/read.ts';

type Schemas = components['schemas'];
export type RecentChange = Schemas['RecentChange'];
export type Action = RecentChange['action'];

export const pageSize = 100;

/** What is asked for. */
export interface Asked {
  readonly folder: string;
  readonly action: Action | '';
  /** RFC 3339. */
  readonly since: string;
}

/** What changed lately, the last change first. */
export function useRecentChanges(workspace: string, asked: Asked): Pages<RecentChange> {
  const { folder, action, since } = asked;
  const query = { since, limit: pageSize, ...given({ location: folder }), action: action === '' ? undefined : action };
  const key = ['recent-changes', workspace, folder, action, since];
  return usePages(workspace, key, '/recent-changes', { query });
}
