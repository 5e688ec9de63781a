import { Plus, UsersRound } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { Badge, KindBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Page, Panel } from '../../design/page.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { PagedList } from '../../design/paged-list.tsx';
import { MembershipDialog, type WantedMembership } from './membership-dialog.tsx';
import { MembershipsCard } from './memberships-card.tsx';
import { itemsOf } from '../../api/read.ts';
import { useGroup, useMembers, type GroupDetails } from './access-queries.ts';
import { GrantsCard, ReachCard } from './reach-cards.tsx';
import { SubjectDialog } from './subject-dialog.tsx';

/** One group: its members, the groups that it is in, and what it reaches. */
export function GroupPage({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useGroup(id);
  if (data === undefined) {
    return (
      <Page title="Access" heading={<span className="visually-hidden">Group</span>}>
        {error === null ? <Skeleton /> : <ProblemState error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  }
  return <Loaded group={data} />;
}

function Loaded({ group }: { group: GroupDetails }): ReactNode {
  const { name } = useWorkspace();
  const { id, display_name: displayName } = group;
  const subject = { type: 'group', id } as const;
  const crumbs = [
    { name: 'Access', href: addressOf.access(name) },
    { name: 'Groups', href: addressOf.groups(name) },
  ];
  return (
    <Page
      title={displayName}
      crumbs={crumbs}
      heading={
        <span className="title-line">
          <bdi>{displayName}</bdi> <KindBadge kind="group" />
        </span>
      }
    >
      <p className="soft small access-facts">
        <span>
          Added <Time at={group.created_at} />
        </span>
        <span className="access-id">
          <code>{id}</code>
          <CopyButton text={id} label="Copy id" />
        </span>
      </p>
      <div className="access-cards">
        <MembersCard group={group} />
        <MembershipsCard subject={subject} displayName={displayName} groups={group.groups} />
        <GrantsCard subject={subject} displayName={displayName} />
        <ReachCard subject={subject} displayName={displayName} />
      </div>
    </Page>
  );
}

function MembersCard({ group }: { group: GroupDetails }): ReactNode {
  const { name: workspace } = useWorkspace();
  const pages = useMembers(group.id);
  const [isChoosing, setChoosing] = useState(false);
  const [wanted, setWanted] = useState<WantedMembership>();
  const self = { id: group.id, displayName: group.display_name };
  return (
    <Panel
      title="Members"
      isFlush
      actions={
        <Button icon={Plus} size="small" onClick={() => setChoosing(true)}>
          Add member
        </Button>
      }
    >
      <PagedList
        pages={pages}
        items={itemsOf(pages)}
        label="Members"
        empty={
          <State icon={UsersRound} title="No members">
            <p>Add people, agents, or other groups.</p>
          </State>
        }
      >
        {(member) => (
          <li key={`${member.type} ${member.id}`} className="access-row">
            <span className="row-main">
              <Link
                className="row-name"
                href={(member.type === 'group' ? addressOf.group : addressOf.principal)(workspace, member.id)}
              >
                <bdi>{member.display_name}</bdi>
              </Link>
            </span>
            <KindBadge kind={member.kind} />
            {member.disabled_at !== null && <Badge tone="danger">disabled</Badge>}
            <Button
              size="small"
              aria-label={`Remove ${member.display_name}`}
              onClick={() =>
                setWanted({
                  group: self,
                  member: { type: member.type, id: member.id, displayName: member.display_name },
                  change: 'remove',
                })
              }
            >
              Remove
            </Button>
          </li>
        )}
      </PagedList>
      {isChoosing && (
        <SubjectDialog
          title={`Add member to ${group.display_name}`}
          what="members"
          action="Continue"
          onClose={() => setChoosing(false)}
          onChosen={(member) => {
            setChoosing(false);
            setWanted({ group: self, member, change: 'add' });
          }}
        />
      )}
      {wanted !== undefined && <MembershipDialog wanted={wanted} onClose={() => setWanted(undefined)} />}
    </Panel>
  );
}
