import { BookOpen, EyeOff, ListFilter } from 'lucide-react';
import type { ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { Who } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Page } from '../../design/page.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { TextFilter, TimeFilter, trimLocation } from './filter-bar.tsx';
import { describeAction } from './describe-record.ts';
import type { Filters } from './filters.ts';
import { useReaders, type Reader } from './audit-queries.ts';
import { KeyMaker } from './record-list.tsx';
import { AuditTabs } from './audit-tabs.tsx';
import { useFilters } from './use-filters.ts';

/** Who read a document, or anything in a folder, and when they did so last. */
export function ReadersPage(): ReactNode {
  const { is_admin: isAdmin } = useWorkspace();
  const [filters, change] = useFilters();
  const { location } = filters;
  return (
    <Page title="Audit log">
      <AuditTabs current="readers" filters={filters} />
      <search className="audit-filters" aria-label="Filter readers">
        <TextFilter
          label="Document or folder"
          placeholder={isAdmin && location === '' ? 'The whole workspace' : 'Such as handbook/travel.md'}
          maxLength={1024}
          value={location}
          onChange={(text) => change({ location: trimLocation(text) })}
        />
        <TimeFilter filters={filters} onChange={change} />
      </search>
      {location === undefined ? <Choose onAll={() => change({ location: '' })} /> : <Readers filters={filters} />}
    </Page>
  );
}

/** Before a place is chosen. */
function Choose({ onAll }: { onAll: () => void }): ReactNode {
  const { name, is_admin: isAdmin } = useWorkspace();
  return (
    <State
      icon={BookOpen}
      title="Which document or folder?"
      actions={
        isAdmin ? (
          <Button onClick={onAll}>The whole workspace</Button>
        ) : (
          <LinkButton href={addressOf.auditRecords(name)}>Show your own doings</LinkButton>
        )
      }
    >
      <p>
        Enter its location, or choose “Who read this” in the menu of a document or folder.
        {!isAdmin && ' You see this where you are an approver.'}
      </p>
    </State>
  );
}

function Readers({ filters }: { filters: Filters }): ReactNode {
  const { location, time } = filters;
  const { readers, pages } = useReaders(filters);
  if (readers === undefined) {
    return pages.error === null ? (
      <Skeleton lines={6} />
    ) : (
      <ProblemState error={pages.error} what="place" onRetry={() => void pages.refetch()} />
    );
  }
  return (
    <>
      {readers.length > 0 && (
        <section className="panel" aria-label="Readers">
          <ul className="rows" aria-label="Readers">
            {readers.map((reader) => (
              <Row key={reader.row} reader={reader} filters={filters} />
            ))}
          </ul>
        </section>
      )}
      {readers.length === 0 && !pages.hasNextPage && !pages.isFetchingNextPage && (
        <State icon={EyeOff} title="No one read this">
          <p>No record says so{time === undefined ? '' : ' for this time'}.</p>
        </State>
      )}
      {location !== '' && (
        <p className="soft small">
          A clone and an export count for every document that they gave out, a search for those that it showed.
        </p>
      )}
      {pages.hasNextPage && (
        <div className="entries-more">
          <Button isPending={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Look further back
          </Button>
        </div>
      )}
    </>
  );
}

/** A search has its words in place of a location. */
const isPlaceShown = ({ action, target }: Reader['last'], location: string | undefined): boolean =>
  action !== 'document.search' && target !== null && target !== location && target !== '';

function Row({ reader, filters }: { reader: Reader; filters: Filters }): ReactNode {
  const { name, principal_id: me } = useWorkspace();
  const { principal, last } = reader;
  const { location, time, from, to } = filters;
  return (
    <li className="audit-row">
      <div className="audit-main">
        <span className="audit-who">
          <Who name={principal.display_name} kind={principal.kind} />
          {principal.id === me && <span className="soft small">you</span>}
          <KeyMaker record={last} />
        </span>
        <div className="audit-line soft small">
          <span>
            last read <Time at={last.at} />
            {last.action !== 'document.read' && `, ${describeAction(last.action).toLowerCase()}`}
          </span>
          {isPlaceShown(last, location) && (
            <bdi className="audit-target">
              <PlainText text={last.target ?? ''} />
            </bdi>
          )}
        </div>
      </div>
      <LinkButton
        size="small"
        look="quiet"
        icon={ListFilter}
        href={addressOf.auditRecords(name, { location, time, from, to, principal: principal.id })}
      >
        Records<span className="visually-hidden"> of {principal.display_name}</span>
      </LinkButton>
    </li>
  );
}
