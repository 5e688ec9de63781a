import { GitCompareArrows, ListTree } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useLive } from '../../api/live-connection.ts';
import { useWorkspace } from '../../api/session.ts';
import { announce } from '../../design/announce.tsx';
import { Badge, Who } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { dayOf, formatClock, formatDay } from '../../design/day.ts';
import { useNow } from '../../design/now.ts';
import { PlainText } from '../../design/plain-text.tsx';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf, viewOf } from '../../navigation/addresses.ts';
import { describeEntry } from './describe-version.ts';
import { HistoryPage } from './head.tsx';
import { entriesOf, useHistory, versionsOf, type HistoryEntry, type HistoryVersion } from './history-queries.ts';
import { useMayWrite } from '../../api/use-may-write.ts';

/** Everything that happened to a document, the newest first, by day. */
export function Timeline({ location }: { location: string }): ReactNode {
  const { name } = useWorkspace();
  const history = useHistory(location);
  const mayRestore = useMayWrite(location) === true;
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const entries = entriesOf(history.data);
  const versions = versionsOf(history.data);
  const choose = (id: string, isChosen: boolean): void => {
    // A third choice takes the place of the first.
    setChosen(isChosen ? [...chosen, id].slice(-2) : chosen.filter((each) => each !== id));
  };
  const loadMore = async (): Promise<void> => {
    const count = entries.length;
    const { data } = await history.fetchNextPage();
    announce(`${entriesOf(data).length - count} more entries.`);
  };
  return (
    <HistoryPage
      location={location}
      title={`History of ${location}`}
      actions={
        history.data !== undefined && (
          <LinkButton icon={ListTree} href={viewOf.lines(name, location)}>
            Show who wrote each line
          </LinkButton>
        )
      }
    >
      {history.data === undefined ? (
        history.error === null ? (
          <Skeleton lines={10} label="Loading the history" />
        ) : (
          <ProblemState error={history.error} what="document" onRetry={() => void history.refetch()} />
        )
      ) : (
        <>
          <Following location={location} newest={versions[0]?.version.id} onVersion={() => void history.refetch()} />
          <Days
            entries={entries}
            render={(entry) => (
              <Entry
                key={keyOf(entry)}
                entry={entry}
                location={location}
                isCurrent={entry.type === 'version' && entry.version.id === versions[0]?.version.id}
                isOldest={entry.type === 'version' && !history.hasNextPage && entry === versions.at(-1)}
                isChosen={entry.type === 'version' && chosen.includes(entry.version.id)}
                onChoose={versions.length > 1 ? choose : undefined}
                mayRestore={mayRestore}
              />
            )}
          />
          {history.hasNextPage && (
            <div className="history-more">
              <Button isPending={history.isFetchingNextPage} onClick={() => void loadMore()}>
                Load more
              </Button>
            </div>
          )}
          {chosen.length > 0 && (
            <CompareBar location={location} chosen={chosen} versions={versions} onClear={() => setChosen([])} />
          )}
        </>
      )}
    </HistoryPage>
  );
}

interface FollowingProps {
  readonly location: string;
  /** The newest version that the timeline shows. */
  readonly newest: string | undefined;
  readonly onVersion: () => void;
}

/** Keeps the timeline up to date while it is looked at. */
function Following({ location, newest, onVersion }: FollowingProps): ReactNode {
  const { name } = useWorkspace();
  useLive(name, location, null, {
    onState: (state, before) => {
      // The history may have been read a moment before the page began to follow it.
      const isNew = before === undefined ? state.version !== newest : state.version !== before.version;
      if (isNew || (before !== undefined && state.record !== before.record)) onVersion();
    },
    onGone: onVersion,
  });
  return null;
}

const keyOf = (entry: HistoryEntry): string =>
  entry.type === 'version' ? entry.version.id : `${entry.type} ${entry.operation} ${entry.at}`;

/** Entries under the day of each, in the browser's time zone. */
function Days({
  entries,
  render,
}: {
  entries: readonly HistoryEntry[];
  render: (entry: HistoryEntry) => ReactNode;
}): ReactNode {
  const now = useNow();
  const days: { day: string; entries: HistoryEntry[] }[] = [];
  for (const entry of entries) {
    const day = dayOf(entry.at);
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days.map(({ day, entries: ofDay }) => (
    <section key={`${day} ${ofDay[0]?.at ?? ''}`} className="history-day">
      <h2>{formatDay(ofDay[0]?.at ?? day, now)}</h2>
      <ol className="history-entries">{ofDay.map(render)}</ol>
    </section>
  ));
}

interface EntryProps {
  readonly entry: HistoryEntry;
  readonly location: string;
  readonly isCurrent: boolean;
  readonly isOldest: boolean;
  readonly isChosen: boolean;
  /** Undefined where there are no two versions to compare. */
  readonly onChoose: ((id: string, isChosen: boolean) => void) | undefined;
  readonly mayRestore: boolean;
}

function Entry(props: EntryProps): ReactNode {
  const { entry, isCurrent, isChosen, onChoose } = props;
  const { icon: Icon, title } = describeEntry(entry);
  const id = entry.type === 'version' ? entry.version.id : undefined;
  return (
    <li className={isChosen ? 'history-entry chosen' : 'history-entry'}>
      <span className="history-pick">
        {id !== undefined && onChoose !== undefined && (
          <input
            type="checkbox"
            checked={isChosen}
            aria-label={`Choose the version of ${formatClock(entry.at)} by ${entry.principal.display_name} to compare`}
            onChange={(event) => onChoose(id, event.target.checked)}
          />
        )}
      </span>
      <Icon className="history-icon" aria-hidden />
      <div className="history-what">
        <p className="history-line">
          <span className="history-title">{title}</span>
          <Who name={entry.principal.display_name} kind={entry.principal.kind} />
          {isCurrent && <Badge tone="success">current</Badge>}
          <span className="soft small">
            {formatClock(entry.at)} · <Time at={entry.at} />
          </span>
        </p>
        <Details entry={entry} />
      </div>
      {entry.type === 'version' && <VersionActions {...props} entry={entry} />}
    </li>
  );
}

/** The note of a version, the places of a move, the author that a source names. */
function Details({ entry }: { entry: HistoryEntry }): ReactNode {
  if (entry.type === 'relocation') {
    return (
      <p className="history-note">
        <Place location={entry.from} /> → <Place location={entry.to} />
      </p>
    );
  }
  if (entry.type === 'deletion') return null;
  const { message, original_author: source } = entry.version;
  return (
    <>
      {message !== null && (
        <p className="history-note">
          <bdi>
            <PlainText text={message} />
          </bdi>
        </p>
      )}
      {source !== undefined && (
        <p className="history-note small">
          Written by <bdi>{source.name}</bdi>
          {source.at !== null && (
            <>
              , <Time at={source.at} form="exact" />
            </>
          )}
          , according to its source
        </p>
      )}
    </>
  );
}

function Place({ location }: { location: string | null }): ReactNode {
  return location === null ? <em>a place outside of your access</em> : <bdi className="mono">{location}</bdi>;
}

function VersionActions({
  entry,
  location,
  isCurrent,
  isOldest,
  mayRestore,
}: EntryProps & { entry: HistoryVersion }): ReactNode {
  const { name } = useWorkspace();
  const { id } = entry.version;
  const of = <span className="visually-hidden"> of {formatClock(entry.at)}</span>;
  return (
    <div className="history-actions">
      <Link href={viewOf.changes(name, location, id)}>
        {isOldest ? 'First text' : 'Changes'}
        {of}
      </Link>
      <Link href={addressOf.version(name, location, id)}>View{of}</Link>
      {mayRestore && !isCurrent && <Link href={viewOf.restore(name, location, id)}>Restore{of}</Link>}
    </div>
  );
}

/** Stays in view while versions are chosen. */
function CompareBar({
  location,
  chosen,
  versions,
  onClear,
}: {
  location: string;
  chosen: readonly string[];
  versions: readonly HistoryVersion[];
  onClear: () => void;
}): ReactNode {
  const { name } = useWorkspace();
  const [to, from] = versions.filter(({ version }) => chosen.includes(version.id)).map(({ version }) => version.id);
  return (
    <div className="history-bar" role="region" aria-label="Chosen versions">
      <span role="status">{chosen.length === 1 ? 'Choose a second version to compare.' : 'Two versions chosen.'}</span>
      <span className="spacer" />
      <Button look="quiet" onClick={onClear}>
        Clear
      </Button>
      {to !== undefined && from !== undefined && (
        <LinkButton look="primary" icon={GitCompareArrows} href={viewOf.changes(name, location, to, from)}>
          Compare
        </LinkButton>
      )}
    </div>
  );
}
