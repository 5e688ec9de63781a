import { Ban, CircleCheck, Undo2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { Badge, KindBadge } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Notice } from '../../design/notice.tsx';
import { Page } from '../../design/page.tsx';
import type { Crumb } from '../../navigation/crumbs.ts';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { MembershipsCard } from './memberships-card.tsx';
import { usePrincipal, type PrincipalDetails } from './access-queries.ts';
import { GrantsCard, ReachCard } from './reach-cards.tsx';
import { SignInCard } from './sign-in-card.tsx';
import { StateDialog } from './state-dialog.tsx';
import { TokensCard } from './tokens-card.tsx';

/** One person, agent or connector: its tokens, groups, grants, and what it reaches. */
export function PrincipalPage({ id }: { id: string }): ReactNode {
  const { name } = useWorkspace();
  const { data, error, refetch } = usePrincipal(id);
  const crumbs = [{ name: 'Access', href: addressOf.access(name) }];
  if (data === undefined) {
    return (
      <Page title="Access" heading={<span className="visually-hidden">Principal</span>}>
        {error === null ? <Skeleton /> : <ProblemState error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  }
  return <Loaded principal={data} crumbs={crumbs} />;
}

function Loaded({ principal, crumbs }: { principal: PrincipalDetails; crumbs: readonly Crumb[] }): ReactNode {
  const { name: workspace, principal_id: ownId } = useWorkspace();
  const [isChanging, setChanging] = useState(false);
  const { id, kind, display_name: displayName, disabled_at: disabledAt, last_seen_at: lastSeen } = principal;
  const isDisabled = disabledAt !== null;
  const subject = { type: 'principal', id } as const;
  return (
    <Page
      title={displayName}
      crumbs={crumbs}
      heading={
        <span className="title-line">
          <bdi>{displayName}</bdi> <KindBadge kind={kind} />
          {principal.is_admin && <Badge tone="info">admin</Badge>}
          {isDisabled && <Badge tone="danger">disabled</Badge>}
          {id === ownId && <Badge tone="neutral">you</Badge>}
        </span>
      }
      actions={
        kind === 'operator' ? undefined : (
          <>
            <LinkButton look="quiet" icon={Undo2} href={addressOf.undo(workspace, { principal: id })}>
              Undo its changes
            </LinkButton>
            <Button
              look={isDisabled ? 'plain' : 'danger-plain'}
              icon={isDisabled ? CircleCheck : Ban}
              onClick={() => setChanging(true)}
            >
              {isDisabled ? 'Enable' : 'Disable'}
            </Button>
          </>
        )
      }
    >
      <p className="soft small access-facts">
        <span>
          Added <Time at={principal.created_at} />
        </span>
        <span>{lastSeen === null ? 'Not seen yet' : <>Last seen {<Time at={lastSeen} />}</>}</span>
        <span className="access-id">
          <code>{id}</code>
          <CopyButton text={id} label="Copy id" />
        </span>
      </p>
      {disabledAt !== null && (
        <Notice tone="warning" title="Disabled">
          <p>
            It reaches nothing since <Time at={disabledAt} form="exact" />. What it wrote stays under its name. Tokens
            and grants below work again when it is enabled.
          </p>
        </Notice>
      )}
      <div className="access-cards">
        {(kind === 'person' || kind === 'agent') && <TokensCard principal={principal} />}
        {kind === 'person' && <SignInCard principal={principal} />}
        <MembershipsCard subject={subject} displayName={displayName} groups={principal.groups} />
        <GrantsCard subject={subject} displayName={displayName} />
        <ReachCard subject={subject} displayName={displayName} />
      </div>
      {isChanging && <StateDialog principal={principal} isSelf={id === ownId} onClose={() => setChanging(false)} />}
    </Page>
  );
}
