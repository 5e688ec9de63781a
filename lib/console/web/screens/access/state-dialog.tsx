import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { Notice } from '../../design/notice.tsx';
import { showToast } from '../../design/toast.tsx';
import { useRefresh, type PrincipalDetails } from './access-queries.ts';

/** Asks before somebody is disabled or enabled, and says what that means. */
export function StateDialog({
  principal,
  isSelf,
  onClose,
}: {
  principal: PrincipalDetails;
  isSelf: boolean;
  onClose: () => void;
}): ReactNode {
  const { name: workspace } = useWorkspace();
  const refresh = useRefresh();
  const { id, kind, display_name: displayName, disabled_at: disabledAt } = principal;
  const disabled = disabledAt === null;
  const change = useMutation({
    mutationFn: () => dataOf(apiOf(workspace).POST('/principal-states', { body: { principal: id, disabled } })),
    onSuccess: () => {
      onClose();
      showToast({ text: disabled ? `${displayName} is disabled.` : `${displayName} is enabled.` });
      if (isSelf) window.location.reload();
    },
    onSettled: () => void refresh(),
  });
  return (
    <ConfirmDialog
      title={`${disabled ? 'Disable' : 'Enable'} ${displayName}?`}
      action={disabled ? 'Disable' : 'Enable'}
      look={disabled ? 'danger' : 'primary'}
      sending={change}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      {disabled ? (
        <>
          <ul className="plain-list">
            <li>Its tokens open nothing from the next request on. They work again when it is enabled.</li>
            {kind === 'person' && (
              <li>It is signed out everywhere, and applications that act for it lose their access.</li>
            )}
            <li>Its documents, versions and records stay, under its name. Nothing is deleted.</li>
          </ul>
          {isSelf && (
            <Notice tone="danger" title="This is you">
              <p>You are signed out at once. Another admin has to enable you again.</p>
            </Notice>
          )}
        </>
      ) : (
        <p>
          Its grants and its unrevoked tokens work again at once.
          {kind === 'person' && ' To sign in, it uses its password, or a new one-time link.'}
        </p>
      )}
    </ConfirmDialog>
  );
}
