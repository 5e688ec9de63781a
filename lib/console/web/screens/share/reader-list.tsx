import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Badge, Who } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { nameOfRole } from '../../design/roles.ts';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { addressOf, nameOf } from '../../shell/addresses.ts';
import { useReaders, type Reader, type Sharing } from './queries.ts';

interface ReaderListProps {
  readonly workspace: string;
  readonly sharing: Sharing;
  /** The signed-in person's principal. */
  readonly ownId: string;
}

/** Everyone who can read the place, with role and reason. */
export function ReaderList({ workspace, sharing, ownId }: ReaderListProps): ReactNode {
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
                    <Way workspace={workspace} sharing={sharing} way={way} />
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

/** "Writers › Staff › Reader of handbook". */
function Way({
  workspace,
  sharing,
  way,
}: {
  workspace: string;
  sharing: Sharing;
  way: Reader['via'][number];
}): ReactNode {
  const isHere = way.scope_id === sharing.location && way.scope_type === sharing.scope_type;
  return (
    <>
      {way.groups.map(({ id, display_name: name }, index) => (
        <Fragment key={`${index} ${id}`}>
          {name === null ? <span>a group that you cannot see</span> : <bdi>{name}</bdi>}
          <span aria-hidden> › </span>
          <span className="visually-hidden">, </span>
        </Fragment>
      ))}
      {nameOfRole[way.role]} of{' '}
      {isHere ? (
        `this ${sharing.scope_type}`
      ) : (
        <PlaceLink workspace={workspace} location={way.scope_id} href={addressOf.folder(workspace, way.scope_id)} />
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
