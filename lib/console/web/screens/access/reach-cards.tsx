import { useMutation } from '@tanstack/react-query';
import { FolderLock, Plus } from 'lucide-react';
import { Fragment, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { apiOf, dataOf } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/form-dialog.tsx';
import { Panel } from '../../design/page.tsx';
import { State } from '../../design/state.tsx';
import { showToast } from '../../design/toast.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { GrantDialog } from './grant-dialog.tsx';
import { PagedList } from '../../design/paged-list.tsx';
import { itemsOf } from '../../api/read.ts';
import { useReach, useRefresh, type ReachedPlace, type Subject } from './access-queries.ts';

interface CardProps {
  readonly subject: Subject;
  readonly displayName: string;
}

/** A folder or document as a link to itself. */
function Place({ place }: { place: Pick<ReachedPlace, 'scope_type' | 'location'> }): ReactNode {
  const { name } = useWorkspace();
  const { scope_type: type, location } = place;
  return (
    <Link className="row-name" href={(type === 'folder' ? addressOf.folder : addressOf.document)(name, location)}>
      <bdi>{location === '' ? 'The whole workspace' : type === 'folder' ? `${location}/` : location}</bdi>
    </Link>
  );
}

interface OwnGrant {
  readonly place: ReachedPlace;
  readonly role: ReachedPlace['role'];
  readonly id: string;
}

/** The grants to the principal or group itself. */
export function GrantsCard({ subject, displayName }: CardProps): ReactNode {
  const pages = useReach(subject, true);
  const [isAdding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<OwnGrant>();
  const grants = itemsOf(pages)?.flatMap((place) => place.grants.map(({ id, role }) => ({ place, role, id })));
  return (
    <Panel
      title="Grants"
      isFlush
      actions={
        <Button icon={Plus} size="small" onClick={() => setAdding(true)}>
          Add grant
        </Button>
      }
    >
      <PagedList
        pages={pages}
        items={grants}
        label="Grants"
        empty={
          <State icon={FolderLock} title="No grants of its own">
            <p>Share a folder or document from its page, or add a grant here.</p>
          </State>
        }
      >
        {(grant) => (
          <li key={grant.id} className="access-row">
            <span className="row-main">
              <Place place={grant.place} />
            </span>
            <Badge tone="label">{grant.role}</Badge>
            <Button
              size="small"
              aria-label={`Remove ${grant.role} on ${grant.place.location === '' ? 'the whole workspace' : grant.place.location}`}
              onClick={() => setLeaving(grant)}
            >
              Remove
            </Button>
          </li>
        )}
      </PagedList>
      {isAdding && <GrantDialog subject={subject} displayName={displayName} onClose={() => setAdding(false)} />}
      {leaving !== undefined && (
        <RemoveGrant
          subject={subject}
          displayName={displayName}
          grant={leaving}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </Panel>
  );
}

function RemoveGrant({
  subject,
  displayName,
  grant: { place, role },
  onClose,
}: CardProps & { grant: OwnGrant; onClose: () => void }): ReactNode {
  const { name: workspace } = useWorkspace();
  const refresh = useRefresh();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(
        apiOf(workspace).DELETE('/grants', {
          params: {
            query: {
              scope_type: place.scope_type,
              scope_id: place.location,
              subject_type: subject.type,
              subject_id: subject.id,
              role,
            },
          },
        }),
      ),
    onSuccess: () => {
      onClose();
      showToast({ text: 'The grant is removed.' });
    },
    onSettled: () => void refresh(),
  });
  return (
    <ConfirmDialog
      title="Remove this grant?"
      action="Remove grant"
      sending={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        <bdi>{displayName}</bdi> is no longer {role} of <Place place={place} /> by this grant, from the next request on.
        Other grants and groups may still give access there.
      </p>
    </ConfirmDialog>
  );
}

/** The places that it reaches in effect, and why. */
export function ReachCard({ subject, displayName }: CardProps): ReactNode {
  const pages = useReach(subject, false);
  return (
    <Panel title="Effective reach" isFlush>
      <PagedList
        pages={pages}
        items={itemsOf(pages)}
        label="Effective reach"
        empty={
          <State icon={FolderLock} title="Reaches nothing">
            <p>
              Nothing was shared with <bdi>{displayName}</bdi>, directly or through a group.
            </p>
          </State>
        }
      >
        {(place) => <Reached key={`${place.scope_type} ${place.location}`} place={place} displayName={displayName} />}
      </PagedList>
    </Panel>
  );
}

function Reached({ place, displayName }: { place: ReachedPlace; displayName: string }): ReactNode {
  const { name: workspace } = useWorkspace();
  const { covered_by: coveredBy } = place;
  return (
    <li className={coveredBy === null ? 'access-row reach-row' : 'access-row reach-row covered'}>
      <span className="row-main">
        <Place place={place} />
        <ul className="reasons" aria-label={`Why ${place.location === '' ? 'the whole workspace' : place.location}`}>
          {place.grants.map((grant) => (
            <li key={grant.id} className="soft small">
              {grant.groups.length === 0 ? (
                <>
                  <bdi>{displayName}</bdi>
                </>
              ) : (
                grant.groups.toReversed().map(({ id, display_name: name }, index) => (
                  <Fragment key={id}>
                    {index > 0 && ' › '}
                    <Link href={addressOf.group(workspace, id)}>
                      <bdi>{name}</bdi>
                    </Link>
                  </Fragment>
                ))
              )}
              {` › ${grant.role} on ${place.scope_type === 'folder' ? 'this folder' : 'this document'}, granted by `}
              <bdi>{grant.granted_by.display_name}</bdi>
            </li>
          ))}
          {coveredBy !== null && (
            <li className="soft small">
              Comes already from{' '}
              <Link href={addressOf.folder(workspace, coveredBy)}>
                <bdi>{coveredBy === '' ? 'the whole workspace' : `${coveredBy}/`}</bdi>
              </Link>
            </li>
          )}
        </ul>
      </span>
      <Badge tone="label">{place.role}</Badge>
    </li>
  );
}
