import { Plus, Users } from 'lucide-react';
import { Fragment, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Panel } from '../../design/page.tsx';
import { State } from '../../design/state.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { MembershipDialog, type WantedMembership } from './membership-dialog.tsx';
import type { PrincipalDetails, Subject } from './access-queries.ts';
import { SubjectDialog } from './subject-dialog.tsx';

/** The groups that a principal or group is in, direct ones first, each with the way to it. */
export function MembershipsCard({
  subject,
  displayName,
  groups,
}: {
  subject: Subject;
  displayName: string;
  groups: PrincipalDetails['groups'];
}): ReactNode {
  const { name: workspace } = useWorkspace();
  const [isChoosing, setChoosing] = useState(false);
  const [wanted, setWanted] = useState<WantedMembership>();
  const member = { ...subject, displayName };
  return (
    <Panel
      title={subject.type === 'group' ? 'Is in groups' : 'Groups'}
      isFlush
      actions={
        <Button icon={Plus} size="small" onClick={() => setChoosing(true)}>
          Add to group
        </Button>
      }
    >
      {groups.length === 0 ? (
        <State icon={Users} title="In no group">
          <p>What a group reaches, its members reach too.</p>
        </State>
      ) : (
        <ul className="rows" aria-label="Groups">
          {groups.map((group) => (
            <li key={group.id} className="access-row">
              <div className="row-main">
                <Link className="row-name" href={addressOf.group(workspace, group.id)}>
                  <bdi>{group.display_name}</bdi>
                </Link>
                {group.way.length > 1 && (
                  <span className="soft small">
                    through{' '}
                    {group.way
                      .slice(1)
                      .toReversed()
                      .map(({ id, display_name: name }, index) => (
                        <Fragment key={id}>
                          {index > 0 && ' › '}
                          <Link href={addressOf.group(workspace, id)}>
                            <bdi>{name}</bdi>
                          </Link>
                        </Fragment>
                      ))}
                  </span>
                )}
              </div>
              {group.way.length === 1 && (
                <Button
                  size="small"
                  aria-label={`Remove from ${group.display_name}`}
                  onClick={() =>
                    setWanted({ group: { id: group.id, displayName: group.display_name }, member, change: 'remove' })
                  }
                >
                  Remove
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isChoosing && (
        <SubjectDialog
          title={`Add ${displayName} to a group`}
          what="groups"
          action="Continue"
          onClose={() => setChoosing(false)}
          onChosen={({ id, displayName: name }) => {
            setChoosing(false);
            setWanted({ group: { id, displayName: name }, member, change: 'add' });
          }}
        />
      )}
      {wanted !== undefined && <MembershipDialog wanted={wanted} onClose={() => setWanted(undefined)} />}
    </Panel>
  );
}
