import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { apiOf, dataOf, newIdempotencyKey } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { ProblemLine } from '../../design/state.tsx';
import { formatExact } from '../../design/time.tsx';
import { showToast } from '../../design/toast.tsx';
import { toMinted, useRefresh, type MintedToken, type Token } from './access-queries.ts';

/** Asks before a token's key is replaced. */
export function RotateDialog({
  token,
  isOwn = false,
  onClose,
  onRotated,
}: {
  token: Token;
  /** Whether it is the person's own. */
  isOwn?: boolean;
  onClose: () => void;
  onRotated: (minted: MintedToken) => void;
}): ReactNode {
  const { name: workspace } = useWorkspace();
  const refresh = useRefresh();
  const rotate = useMutation({
    mutationFn: async (): Promise<MintedToken> => {
      if (!isOwn) return dataOf(apiOf(workspace).POST('/token-rotations', { body: { token: token.id } }));
      const params = { path: { id: token.id }, header: { 'Idempotency-Key': newIdempotencyKey() } };
      return toMinted(await dataOf(apiOf(workspace).POST('/keys/{id}/rotations', { params })), token.principal);
    },
    onSuccess: onRotated,
    onSettled: () => void refresh(),
  });
  return (
    <ConfirmDialog
      title={`Rotate ${token.name}?`}
      action="Rotate token"
      look="primary"
      sending={rotate}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    >
      <p>
        You get a new key, and the present one (…{token.last_four}) stops working at once. Name, interfaces and expiry
        stay.
      </p>
      <LastUse token={token} />
    </ConfirmDialog>
  );
}

/** Asks before a token ends, and says what stops working. */
export function RevokeDialog({
  token,
  displayName,
  isOwn = false,
  onClose,
}: {
  token: Token;
  displayName: string;
  /** Whether it is the person's own. */
  isOwn?: boolean;
  onClose: () => void;
}): ReactNode {
  const { name: workspace } = useWorkspace();
  const refresh = useRefresh();
  const revoke = useMutation({
    mutationFn: async (): Promise<void> => {
      const { id } = token;
      if (isOwn) await dataOf(apiOf(workspace).DELETE('/keys/{id}', { params: { path: { id } } }));
      else await dataOf(apiOf(workspace).POST('/token-revocations', { body: { token: id } }));
    },
    onSuccess: () => {
      onClose();
      showToast({ text: `${token.name} is revoked.` });
    },
    onSettled: () => void refresh(),
  });
  const isLast = revoke.error !== null && asProblem(revoke.error).reason === 'last_approver';
  return (
    <ConfirmDialog
      title={`Revoke ${token.name}?`}
      action="Revoke token"
      sending={{ isPending: revoke.isPending }}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>
        Whatever uses the key ending in {token.last_four} as <bdi>{displayName}</bdi> is refused from its next request
        on, and keys that were made with it end too. This cannot be undone. What was written with it stays.
      </p>
      <LastUse token={token} />
      <ProblemLine error={revoke.error} />
      {isLast && <p className="soft small">Rotate it instead, if the key may have leaked.</p>}
    </ConfirmDialog>
  );
}

function LastUse({ token }: { token: Token }): ReactNode {
  return (
    <p className="soft small">
      {token.last_used_at === null
        ? 'It has never been used.'
        : `Something used it on ${formatExact(token.last_used_at)}, and may still depend on it.`}
    </p>
  );
}
