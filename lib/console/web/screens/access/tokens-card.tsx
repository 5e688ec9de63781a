import { KeyRound, Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { useNow } from '../../design/now.ts';
import { Panel } from '../../design/page.tsx';
import { State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { PagedList } from '../../design/paged-list.tsx';
import { MintDialog } from './mint-dialog.tsx';
import { itemsOf } from '../../api/pages.ts';
import { useTokens, type MintedToken, type PrincipalDetails, type Token } from './queries.ts';
import { RevokeDialog, RotateDialog } from './token-dialogs.tsx';

type Open =
  | { readonly what: 'mint' }
  | { readonly what: 'rotate' | 'revoke'; readonly token: Token }
  | { readonly what: 'key'; readonly minted: MintedToken; readonly isNew: boolean };

/** The tokens of a principal: what it signs in with where no person is at a keyboard. */
export function TokensCard({ principal }: { principal: PrincipalDetails }): ReactNode {
  const { id, display_name: displayName, disabled_at: disabledAt } = principal;
  const pages = useTokens(id);
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const mint = (
    <Button icon={Plus} size="small" disabled={disabledAt !== null} onClick={() => setOpen({ what: 'mint' })}>
      Mint token
    </Button>
  );
  return (
    <Panel title="Tokens" isFlush actions={mint}>
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
            onRotate={() => setOpen({ what: 'rotate', token })}
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

const nameOf: Readonly<Record<Token['interfaces'][number], string>> = { mcp: 'MCP', rest: 'REST API', git: 'Git' };

const week = 7 * 24 * 60 * 60 * 1000;

function StateBadge({ token }: { token: Token }): ReactNode {
  const now = useNow();
  if (token.state === 'revoked') return <Badge tone="danger">revoked</Badge>;
  const expiresAt = token.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(token.expires_at);
  if (token.state === 'expired' || expiresAt <= now) return <Badge tone="danger">expired</Badge>;
  if (expiresAt - now < week) return <Badge tone="warning">expires soon</Badge>;
  return <Badge tone="success">active</Badge>;
}

function TokenRow({
  token,
  onRotate,
  onRevoke,
}: {
  token: Token;
  onRotate: () => void;
  onRevoke: () => void;
}): ReactNode {
  const now = useNow();
  const isExpired = token.expires_at !== null && Date.parse(token.expires_at) <= now;
  const isOver = token.state !== 'active' || isExpired;
  return (
    <li className={isOver ? 'token-row over' : 'token-row'}>
      <div className="row-main">
        <span className="cluster">
          <bdi className="token-name">{token.name}</bdi>
          <StateBadge token={token} />
          {token.interfaces.map((each) => (
            <Badge key={each} tone="label">
              {nameOf[each]}
            </Badge>
          ))}
        </span>
        <code className="token-key">
          {token.prefix}…{token.last_four}
        </code>
        <span className="soft small token-facts">
          <span>
            Minted <Time at={token.created_at} /> by <bdi>{token.created_by.display_name}</bdi>
          </span>
          <span>{token.last_used_at === null ? 'Never used' : <>Last used {<Time at={token.last_used_at} />}</>}</span>
          <span>
            {token.revoked_at !== null ? (
              <>Revoked {<Time at={token.revoked_at} />}</>
            ) : token.expires_at === null ? (
              'Never expires'
            ) : (
              <>
                {isOver ? 'Expired' : 'Expires'} <Time at={token.expires_at} />
              </>
            )}
          </span>
          {token.requests_per_minute !== null && <span>{token.requests_per_minute} requests a minute</span>}
        </span>
      </div>
      {token.state !== 'revoked' && (
        <span className="cluster">
          {!isOver && (
            <Button size="small" aria-label={`Rotate ${token.name}`} onClick={onRotate}>
              Rotate
            </Button>
          )}
          <Button size="small" look="danger-plain" aria-label={`Revoke ${token.name}`} onClick={onRevoke}>
            Revoke
          </Button>
        </span>
      )}
    </li>
  );
}
