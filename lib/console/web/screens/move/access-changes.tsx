import type { ReactNode } from 'react';
import { nameOfRole } from '../../design/roles.ts';
import type { AccessChange } from './send-relocation.ts';

/** Subjects whose access changes, each with the roles before and after and the grant that decides. */
export function AccessChanges({
  label,
  changes,
  workspace,
}: {
  /** Names the list. */
  label: string;
  changes: readonly AccessChange[];
  workspace: string;
}): ReactNode {
  return (
    <ul className="access-changes" aria-label={label}>
      {changes.map((change) => (
        <li key={JSON.stringify(change)}>
          <strong>
            {change.subject.display_name === null ? (
              'A group that you cannot see'
            ) : (
              <bdi>{change.subject.display_name}</bdi>
            )}
          </strong>{' '}
          {change.subject.type === 'group' && change.subject.display_name !== null && <span>(group) </span>}
          {sentenceOf(change)}
          <span className="soft">
            , by a grant on{' '}
            {change.via.scope_type === 'document' ? (
              'the document itself'
            ) : (
              <bdi>{change.via.scope_id === '' ? `the workspace ${workspace}` : change.via.scope_id}</bdi>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function sentenceOf({ from_role: from, to_role: to }: AccessChange): string {
  if (from === null) return `becomes ${nameOfRole[to ?? 'reader'].toLowerCase()}`;
  if (to === null) return `is no longer ${nameOfRole[from].toLowerCase()}`;
  return `goes from ${nameOfRole[from].toLowerCase()} to ${nameOfRole[to].toLowerCase()}`;
}
