import { useMutation } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { Notice } from '../../design/notice.tsx';
import { ProblemLine, Skeleton } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { useImpact, useRefresh, type MembershipImpact, type Subject } from './access-queries.ts';

export interface WantedMembership {
  readonly group: { readonly id: string; readonly displayName: string };
  readonly member: Subject & { readonly displayName: string };
  readonly change: 'add' | 'remove';
}

/** Says who gains or loses what, before a membership begins or ends. */
export function MembershipDialog({ wanted, onClose }: { wanted: WantedMembership; onClose: () => void }): ReactNode {
  const { group, member, change } = wanted;
  const { name: workspace, principal_id: ownId } = useWorkspace();
  const refresh = useRefresh();
  const impact = useImpact(group.id, member, change);
  const isAdding = change === 'add';
  const names = { group: group.id, member_type: member.type, member_id: member.id };
  const apply = useMutation({
    mutationFn: () =>
      isAdding
        ? dataOf(apiOf(workspace).POST('/members', { body: names }))
        : dataOf(apiOf(workspace).DELETE('/members', { params: { query: names } })),
    onSuccess: () => {
      onClose();
      const done = isAdding ? `is in ${group.displayName} now.` : `is no longer in ${group.displayName}.`;
      showToast({ text: `${member.displayName} ${done}` });
    },
    onSettled: () => void refresh(),
  });
  const title = isAdding
    ? `Add ${member.displayName} to ${group.displayName}?`
    : `Remove ${member.displayName} from ${group.displayName}?`;
  return (
    <ConfirmDialog
      title={title}
      action={isAdding ? 'Add to group' : 'Remove from group'}
      look={isAdding ? 'primary' : 'danger'}
      sending={apply}
      isDisabled={impact.data === undefined}
      onConfirm={() => apply.mutate()}
      onClose={onClose}
    >
      {impact.data === undefined && impact.error === null && <Skeleton lines={3} label="Working out who gains what" />}
      <ProblemLine error={impact.error} />
      {impact.data !== undefined && <Impact impact={impact.data} isAdding={isAdding} workspace={workspace} />}
      {!isAdding && member.id === ownId && (
        <Notice tone="warning" title="This is you">
          <p>You lose what this group gives you, at once.</p>
        </Notice>
      )}
    </ConfirmDialog>
  );
}

function Impact({
  impact: { changes, is_cut: isCut },
  isAdding,
  workspace,
}: {
  impact: MembershipImpact;
  isAdding: boolean;
  workspace: string;
}): ReactNode {
  if (changes.length === 0) {
    return <p>No one’s access changes now. Later grants to the group will reach its members.</p>;
  }
  return (
    <>
      <p>
        {isAdding ? 'This gives access from the next request on:' : 'This takes access away, from the next request on:'}
      </p>
      <ul className="impact" aria-label="Changes of access">
        {changes.map((change) => (
          <li key={`${change.scope_type} ${change.location} ${change.before} ${change.after}`}>
            <Link
              href={(change.scope_type === 'folder' ? addressOf.folder : addressOf.document)(
                workspace,
                change.location,
              )}
            >
              <bdi>{change.location === '' ? 'The whole workspace' : change.location}</bdi>
            </Link>
            <span className="impact-roles">
              {change.before ?? 'no access'} → <strong>{change.after ?? 'no access'}</strong>
            </span>
            <span className="soft small impact-who">
              {change.principals.map(({ id, display_name: name }, index) => (
                <Fragment key={id}>
                  {index > 0 && ', '}
                  <bdi>{name}</bdi>
                </Fragment>
              ))}
              {change.more && ' and others'}
            </span>
          </li>
        ))}
      </ul>
      {isCut && <p className="soft small">There is more than is shown here.</p>}
    </>
  );
}
