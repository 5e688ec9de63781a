import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { useNow } from '../../design/now.ts';
import { Time } from '../../design/time.tsx';
import type { Token } from './access-queries.ts';

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

/**
 * A token, what it opens, and how long. A key that somebody else made for a person says so.
 * @param onRotate undefined where only others may
 */
export function TokenRow({
  token,
  isPerson,
  onRotate,
  onRevoke,
}: {
  token: Token;
  /** Whether its owner is a person, who makes their own. */
  isPerson: boolean;
  onRotate: (() => void) | undefined;
  onRevoke: () => void;
}): ReactNode {
  const now = useNow();
  const isExpired = token.expires_at !== null && Date.parse(token.expires_at) <= now;
  const isByOther = isPerson && token.created_by.id !== token.principal;
  const isOver = token.state !== 'active' || isExpired;
  return (
    <li className={isOver ? 'token-row over' : 'token-row'}>
      <div className="row-main">
        <span className="cluster">
          <bdi className="token-name">{token.name}</bdi>
          <StateBadge token={token} />
          {isByOther && <Badge tone="warning">made by {token.created_by.display_name}</Badge>}
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
          {!isOver && onRotate !== undefined && (
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
