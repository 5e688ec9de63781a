import type { UseQueryResult } from '@tanstack/react-query';
import type { components } from '../../api/described.d.ts';
import { useRead } from '../../api/read.ts';

type Schemas = components['schemas'];
export type Overview = Schemas['Overview'];
export type Activity = Schemas['Activity'];

const lookAgainAfter = 30_000;

/** How the workspace is, read again while the page is looked at. */
export function useOverview(workspace: string): UseQueryResult<Overview> {
  return useRead(workspace, ['overview', workspace], '/overview', {}, { refetchInterval: lookAgainAfter });
}
