import { KeyRound, Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { itemsOf } from '../../api/pages.ts';
import { useWorkspace } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Page, Panel } from '../../design/page.tsx';
import { PagedList } from '../../design/paged-list.tsx';
import { State } from '../../design/state.tsx';
import { base } from '../../shell/addresses.ts';
import { KeyDialog } from '../access/key-dialog.tsx';
import { MintDialog } from '../access/mint-dialog.tsx';
import { toToken, useOwnKeys, type MintedToken, type Token } from '../access/queries.ts';
import { RevokeDialog, RotateDialog } from '../access/token-dialogs.tsx';
import { TokenRow } from '../access/token-row.tsx';

type Open =
  | { readonly what: 'mint' }
  | { readonly what: 'rotate' | 'revoke'; readonly token: Token }
  | { readonly what: 'key'; readonly minted: MintedToken; readonly isNew: boolean };

/** The keys with which programs act as the person: their own, and those that somebody else made for them. */
export function OwnKeys(): ReactNode {
  const { name, principal_id: me, display_name: displayName } = useWorkspace();
  const pages = useOwnKeys();
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const show = (minted: MintedToken, isNew: boolean): void => setOpen({ what: 'key', minted, isNew });
  return (
    <Page title="Your keys">
      <p className="soft">
        A program with a key acts as you in <bdi>{name}</bdi>: it reaches what you reach, and what it does is recorded
        under your name. A key that somebody else made says so, here and in the audit log.
      </p>
      <Panel
        title="Keys that act as you"
        isFlush
        actions={
          <Button icon={Plus} size="small" onClick={() => setOpen({ what: 'mint' })}>
            Make a key
          </Button>
        }
      >
        <PagedList
          pages={pages}
          items={itemsOf(pages)?.map((key) => toToken(key, me))}
          label="Keys that act as you"
          empty={
            <State icon={KeyRound} title="No keys">
              <p>Make one for git, for a script, or for an agent that connects by MCP. It is shown once.</p>
            </State>
          }
        >
          {(token) => (
            <TokenRow
              key={token.id}
              token={token}
              isPerson
              onRotate={() => setOpen({ what: 'rotate', token })}
              onRevoke={() => setOpen({ what: 'revoke', token })}
            />
          )}
        </PagedList>
      </Panel>
      <p className="soft small">
        <a href={`${base}/signin/sessions`}>Where you are signed in</a> lists your browsers, and the keys that somebody
        else made, of all your workspaces.
      </p>
      {open?.what === 'mint' && (
        <MintDialog
          principal={undefined}
          displayName={displayName}
          onClose={close}
          onMinted={(minted) => show(minted, true)}
        />
      )}
      {open?.what === 'rotate' && (
        <RotateDialog token={open.token} isOwn onClose={close} onRotated={(minted) => show(minted, false)} />
      )}
      {open?.what === 'revoke' && <RevokeDialog token={open.token} displayName={displayName} isOwn onClose={close} />}
      {open?.what === 'key' && (
        <KeyDialog
          minted={open.minted}
          isNew={open.isNew}
          onRotate={() => setOpen({ what: 'rotate', token: open.minted.token })}
          onClose={close}
        />
      )}
    </Page>
  );
}
