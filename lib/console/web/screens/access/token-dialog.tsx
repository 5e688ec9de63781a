import type { ReactNode } from 'react';
import { KeyDialog } from './key-dialog.tsx';
import { MintDialog } from './mint-dialog.tsx';
import type { MintedToken, Token } from './access-queries.ts';
import { RevokeDialog, RotateDialog } from './token-dialogs.tsx';

/** What is done with a key just now. */
export type TokenTask =
  | { readonly what: 'mint' }
  | { readonly what: 'rotate' | 'revoke'; readonly token: Token }
  | { readonly what: 'key'; readonly minted: MintedToken; readonly isNew: boolean };

/** The dialog of a list of keys that is open, if one is. */
export function TokenDialog({
  task,
  onTask,
  principal,
  displayName,
}: {
  readonly task: TokenTask | undefined;
  /** Opens another dialog, or none. */
  readonly onTask: (task: TokenTask | undefined) => void;
  /** Whose keys they are; undefined for one's own. */
  readonly principal: string | undefined;
  readonly displayName: string;
}): ReactNode {
  const isOwn = principal === undefined;
  const close = (): void => onTask(undefined);
  const show = (minted: MintedToken, isNew: boolean): void => onTask({ what: 'key', minted, isNew });
  switch (task?.what) {
    case undefined:
      return null;
    case 'mint':
      return (
        <MintDialog
          principal={principal}
          displayName={displayName}
          onClose={close}
          onMinted={(minted) => show(minted, true)}
        />
      );
    case 'rotate':
      return (
        <RotateDialog token={task.token} isOwn={isOwn} onClose={close} onRotated={(minted) => show(minted, false)} />
      );
    case 'revoke':
      return <RevokeDialog token={task.token} displayName={displayName} isOwn={isOwn} onClose={close} />;
    case 'key':
      return (
        <KeyDialog
          minted={task.minted}
          isNew={task.isNew}
          onRotate={() => onTask({ what: 'rotate', token: task.minted.token })}
          onClose={close}
        />
      );
  }
}
