import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { base } from '../navigation/addresses.ts';
import { request } from './client.ts';

/** A workspace of the signed-in person. */
export interface OwnWorkspace {
  readonly name: string;
  /** What people see; the name where an admin has set no other. */
  readonly title: string;
  /** The person's name there. */
  readonly display_name: string;
  readonly principal_id: string;
  /** Whether the person administers it: people, groups, tokens. */
  readonly is_admin: boolean;
  /** Whether the person is approver of any folder: connectors. */
  readonly may_connect: boolean;
  /** Keys that somebody else made for the person, of which they have not said to know. */
  readonly keys_by_others: number;
}

export interface Session {
  readonly sign_in_name: string;
  readonly workspaces: readonly OwnWorkspace[];
  /** Names of those that cannot be read at the moment. */
  readonly unavailable_workspaces: readonly string[];
}

const address = `${base}/console/api/session`;

/** The signed-in person, asked again when the window gets the focus back. */
export function useSession(): UseQueryResult<Session> {
  return useQuery({
    queryKey: ['session'],
    queryFn: async ({ signal }) => (await (await request(address, { signal })).json()) as Session,
  });
}

export async function signOut(): Promise<void> {
  await request(address, { method: 'DELETE' });
}

export const WorkspaceContext = createContext<OwnWorkspace | undefined>(undefined);

/** The workspace of the page. Only below the frame, which knows it. */
export function useWorkspace(): OwnWorkspace {
  const workspace = useContext(WorkspaceContext);
  if (workspace === undefined) throw new Error('This part of the console needs a workspace around it.');
  return workspace;
}
