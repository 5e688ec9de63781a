import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { Badge, Who } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { nameOfRole } from '../../design/roles.ts';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { addressOf, nameOf } from '../../navigation/addresses.ts';
import { isWithin } from './change-share.ts';
import { useReaders, type Reader, type Sharing } from './share-queries.ts';

interface ReaderListProps {
  readonly workspace: string;
  readonly sharing: Sharing;
  /** The signed-in person's principal. */
  readonly ownId: string;
  /** Leads to the grants on the place itself. Left out: the person cannot change them. */
  readonly onGrants?: () => void;
}

/** Everyone who can read the place, with role and reason. */
export function ReaderList({ workspace, sharing, ownId, onGrants }: ReaderListProps): ReactNode {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useReaders(
    workspace,
    sharing.location,
  );
  if (data === undefined) {
    return error === null ? <Skeleton /> : <ProblemState error={error} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <ul className="share-rows" aria-label="Everyone with access">
        {data.pages
          .flatMap(({ items }) => items)
          .map((reader) => (
            <li key={reader.principal.id} className="share-row">
              <div className="share-who">
                <Who name={reader.principal.display_name} kind={reader.principal.kind} />
                {reader.principal.id === ownId && <span className="soft small">you</span>}
              </div>
              <Badge>{nameOfRole[reader.role]}</Badge>
              <ul className="share-ways">
                {reader.via.map((way) => (
                  <li key={JSON.stringify(way)}>
                    <Way
                      workspace={workspace}
                      sharing={sharing}
                      way={way}
                      {...(onGrants !== undefined && { onGrants })}
                    />
                  </li>
                ))}
              </ul>
            </li>
          ))}
      </ul>
      {hasNextPage && (
        <div className="cluster">
          <Button isPending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
    </>
  );
}

/** "Writers › Staff › Reader of handbook". Each part leads to where it can be taken away. */
function Way({
  workspace,
  sharing,
  way,
  onGrants,
}: {
  workspace: string;
  sharing: Sharing;
  way: Reader['via'][number];
  onGrants?: () => void;
}): ReactNode {
  const { is_admin: isAdmin } = useWorkspace();
  const mayChange = sharing.shares_from !== null && isWithin(sharing.shares_from, way.scope_id);
  const isHere = way.scope_id === sharing.location && way.scope_type === sharing.scope_type;
  return (
    <>
      {way.groups.map(({ id, display_name: name }, index) => (
        <Fragment key={`${index} ${id}`}>
          {name === null || id === null ? (
            <span>a group that you cannot see</span>
          ) : isAdmin ? (
            <Link href={addressOf.group(workspace, id)} title="Show this group and its members">
              <bdi>{name}</bdi>
            </Link>
          ) : (
            <bdi>{name}</bdi>
          )}
          <span aria-hidden> › </span>
          <span className="visually-hidden">, </span>
        </Fragment>
      ))}
      {nameOfRole[way.role]} of{' '}
      {!isHere ? (
        <PlaceLink
          workspace={workspace}
          location={way.scope_id}
          href={
            mayChange ? addressOf.share(workspace, way.scope_id, 'folder') : addressOf.folder(workspace, way.scope_id)
          }
        />
      ) : onGrants === undefined ? (
        `this ${sharing.scope_type}`
      ) : (
        <button type="button" className="share-here" onClick={onGrants}>
          this {sharing.scope_type}
        </button>
      )}
    </>
  );
}

/** A folder above, by its name; the root by the workspace's. */
export function PlaceLink({
  workspace,
  location,
  href,
}: {
  workspace: string;
  location: string;
  href: string;
}): ReactNode {
  return (
    <Link href={href} title={location === '' ? `The whole workspace ${workspace}` : location}>
      <bdi>{location === '' ? `the workspace ${workspace}` : nameOf(location)}</bdi>
    </Link>
  );
}
