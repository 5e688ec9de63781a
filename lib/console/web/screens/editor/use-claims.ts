import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { apiAddress, newIdempotencyKey, request } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { showProblem } from '../../design/toast.tsx';
import type { Claim } from './document-text.ts';

interface PlacedClaim extends Claim {
  readonly id: string;
  readonly location: string;
  /** Whether it keeps others from the whole document. */
  readonly holds_document: boolean;
  readonly purpose: string | null;
}

/** The claims on the document that is being edited, as they are now. */
export interface Claims {
  /** Another's claim that keeps the person from saving. */
  readonly blocking: PlacedClaim | undefined;
  /** Others' claims on sections: the rest of the document can be saved. */
  readonly sections: readonly PlacedClaim[];
  /** The person's own claim on the whole document. */
  readonly own: PlacedClaim | undefined;
  readonly isChanging: boolean;
  readonly take: () => void;
  readonly release: () => void;
  /** Asks again: a claim has changed, or a save was refused because of one. */
  readonly refresh: () => void;
}

/**
 * Milliseconds between two looks at the own claim, and how much of it is left where it is renewed, for half an hour. One
 * that was taken for longer is not shortened.
 */
const renewal = { every: 10 * 60_000, below: 20 * 60_000 } as const;

/** The claims on a document, and the person's own while editing. The caller says when to ask again. */
export function useClaims(location: string): Claims {
  const { name: workspace, principal_id: self } = useWorkspace();
  const queries = useQueryClient();
  const [isChanging, setChanging] = useState(false);
  const queryKey = ['claims', workspace, location];
  const address = apiAddress(workspace, '/claims');
  const isOthers = (claim: PlacedClaim): boolean => claim.holder.id !== self;
  const found = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ location });
      const answer = await request(`${address}?${query.toString()}`, { signal });
      return ((await answer.json()) as { readonly items: readonly PlacedClaim[] }).items;
    },
  });
  const claims = found.data ?? [];
  const own = claims.find((claim) => !isOthers(claim) && claim.section === null);
  const refresh = (): void => void queries.invalidateQueries({ queryKey });
  const change = async (deed: () => Promise<unknown>): Promise<void> => {
    setChanging(true);
    try {
      await deed();
    } catch (error) {
      showProblem(error);
    } finally {
      await queries.invalidateQueries({ queryKey });
      setChanging(false);
    }
  };
  const ownId = own?.id;
  const { refetch } = found;
  useEffect(() => {
    if (ownId === undefined) return undefined;
    const renew = async (): Promise<void> => {
      const { data = [] } = await refetch();
      const end = data.find(({ id }) => id === ownId)?.expires_at;
      // Without a purpose the claim keeps the one that it has.
      if (end !== undefined && Date.parse(end) - Date.now() < renewal.below) await postClaim(address, { location });
    };
    // A claim that could not be renewed is seen at the next look.
    const timer = window.setInterval(() => void renew().catch(() => undefined), renewal.every);
    return () => window.clearInterval(timer);
  }, [ownId, address, location, refetch]);
  return {
    blocking: claims.find((claim) => isOthers(claim) && claim.holds_document),
    sections: claims.filter((claim) => isOthers(claim) && !claim.holds_document),
    own,
    isChanging,
    take: () => void change(() => postClaim(address, { location, purpose: 'Editing in the console' })),
    release: () => {
      if (own === undefined) return;
      const query = new URLSearchParams({ id: own.id });
      void change(() => request(`${address}?${query.toString()}`, { method: 'DELETE' }));
    },
    refresh,
  };
}

function postClaim(
  address: string,
  taken: { readonly location: string; readonly purpose?: string },
): Promise<Response> {
  return request(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': newIdempotencyKey() },
    body: JSON.stringify(taken),
  });
}
