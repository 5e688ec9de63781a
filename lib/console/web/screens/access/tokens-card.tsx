import { KeyRound, Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { Panel } from '../../design/page.tsx';
import { State } from '../../design/state.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { PagedList } from '../../design/paged-list.tsx';
import { MintDialog } from './mint-dialog.tsx';
import { itemsOf } from '../../api/pages.ts';
import { useTokens, type MintedToken, type PrincipalDetails, type Token } from './queries.ts';
import { RevokeDialog, RotateDialog } from './token-dialogs.tsx';
import { TokenRow } from './token-row.tsx';
import { useWorkspace } from '../../api/session.ts';

type Open =
  | { readonly what: 'mint' }
  | { readonly what: 'rotate' | 'revoke'; readonly token: Token }
  | { readonly what: 'key'; readonly minted: MintedToken; readonly isNew: boolean };

/** The tokens of a principal: what it signs in with where no person is at a keyboard. */
export function TokensCard({ principal }: { principal: PrincipalDetails }): ReactNode {
  const { id, display_name: displayName, disabled_at: disabledAt } = principal;
  const pages = useTokens(id);
  const [open, setOpen] = useState<Open>();
  const { principal_id: me } = useWorkspace();
  const close = (): void => setOpen(undefined);
  const isPerson = principal.kind === 'person';
  // The secret of a person's key goes to the person, or to who made the key.
  const mayRotate = (token: Token): boolean => !isPerson || [token.principal, token.created_by.id].includes(me);
  const mint = (
    <Button icon={Plus} size="small" disabled={disabledAt !== null} onClick={() => setOpen({ what: 'mint' })}>
      Mint token
    </Button>
  );
  return (
    <Panel title="Tokens" isFlush actions={mint}>
      {isPerson && id !== me && (
        <p className="soft small token-note">
          People make keys of their own under Your keys. Of a key that you make for <bdi>{displayName}</bdi>, they are
          told, and what is done with it is recorded as made by you.
        </p>
      )}
      <PagedList
        pages={pages}
        items={itemsOf(pages)}
        label="Tokens"
        empty={
          <State icon={KeyRound} title="No tokens">
            <p>Mint a token for a script, a git client, or an agent that connects by MCP. Its key is shown once.</p>
          </State>
        }
      >
        {(token) => (
          <TokenRow
            key={token.id}
            token={token}
            isPerson={isPerson}
            onRotate={mayRotate(token) ? () => setOpen({ what: 'rotate', token }) : undefined}
            onRevoke={() => setOpen({ what: 'revoke', token })}
          />
        )}
      </PagedList>
      {open?.what === 'mint' && (
        <MintDialog
          principal={id}
          displayName={displayName}
          onClose={close}
          onMinted={(minted) => setOpen({ what: 'key', minted, isNew: true })}
        />
      )}
      {open?.what === 'rotate' && (
        <RotateDialog
          token={open.token}
          onClose={close}
          onRotated={(minted) => setOpen({ what: 'key', minted, isNew: false })}
        />
      )}
      {open?.what === 'revoke' && <RevokeDialog token={open.token} displayName={displayName} onClose={close} />}
      {open?.what === 'key' && (
        <KeyDialog
          minted={open.minted}
          isNew={open.isNew}
          onRotate={() => setOpen({ what: 'rotate', token: open.minted.token })}
          onClose={close}
        />
      )}
    </Panel>
  );
}
