import { ArrowDown, ArrowUp, Columns2, Eye, FileX2, History as RestoreIcon, Rows2, Undo2 } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { useLocation } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { announce } from '../../design/announce.tsx';
import { Who } from '../../design/badge.tsx';
import { Button, IconButton, LinkButton } from '../../design/button.tsx';
import { SelectField } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { PlainText } from '../../design/plain-text.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { addressOf, viewOf } from '../../navigation/addresses.ts';
import { describeVersion } from './describe-version.ts';
import { makeBlocks } from './diff-rows.ts';
import { DiffView, type DiffHandle } from './diff-view.tsx';
import { HistoryPage } from './head.tsx';
import { useDiff, useHistory, versionsOf, type Diff, type Version } from './history-queries.ts';
import { useMayWrite } from '../../api/use-may-write.ts';

/** Pixels below which both sides would be too narrow to read. */
const sideBySideFrom = 760;
const layoutKey = 'cartulary-diff';

/** The changes between two versions. @param from left out: the version before the other */
export function Changes({
  location,
  from,
  to,
}: {
  location: string;
  from: string | undefined;
  to: string | undefined;
}): ReactNode {
  const { name } = useWorkspace();
  const compared = useDiff(location, from, to);
  const history = useHistory(location);
  const mayRestore = useMayWrite(location) === true;
  const [current, before] = versionsOf(history.data).map(({ version }) => version.id);
  const { data } = compared;
  const isCurrent = data !== undefined && data.to.id === current;
  return (
    <HistoryPage
      location={location}
      view="Changes"
      title={`Changes of ${location}`}
      size="wide"
      actions={
        data !== undefined && (
          <>
            <LinkButton icon={Eye} href={addressOf.version(name, location, data.to.id)}>
              View version
            </LinkButton>
            {mayRestore && isCurrent && data.from !== null && !data.is_same && (
              <LinkButton icon={Undo2} href={viewOf.restore(name, location, data.from.id)}>
                {data.from.id === before ? 'Undo this change' : 'Restore the older version'}
              </LinkButton>
            )}
            {mayRestore && current !== undefined && !isCurrent && (
              <LinkButton icon={RestoreIcon} href={viewOf.restore(name, location, data.to.id)}>
                Restore this version
              </LinkButton>
            )}
          </>
        )
      }
    >
      {compared.error === null && <Pickers location={location} from={from} to={to} data={data} />}
      {data !== undefined ? (
        <>
          <About version={data.to} />
          <Comparison key={`${data.from?.id} ${data.to.id}`} location={location} compared={data} />
        </>
      ) : compared.error === null ? (
        <Skeleton lines={14} label="Comparing the versions" />
      ) : (
        <ProblemState error={compared.error} what="document or version" onRetry={() => void compared.refetch()} />
      )}
    </HistoryPage>
  );
}

/** Who wrote the newer version, when and why. */
function About({ version }: { version: Version }): ReactNode {
  const { author, created_at: at, message, original_author: source } = version;
  return (
    <p className="diff-about">
      <Who name={author.display_name} kind={author.kind} />
      <span className="soft small">
        <Time at={at} form="exact" /> · <Time at={at} />
      </span>
      {source !== undefined && (
        <span className="soft small">
          written by <bdi>{source.name}</bdi>, according to its source
        </span>
      )}
      {message !== null && (
        <bdi className="diff-note">
          <PlainText text={message} />
        </bdi>
      )}
    </p>
  );
}

const olderVersions = 'more';

/** Chooses the two versions. The address keeps them. */
function Pickers({
  location,
  from,
  to,
  data,
}: {
  location: string;
  from: string | undefined;
  to: string | undefined;
  data: Diff | undefined;
}): ReactNode {
  const { name } = useWorkspace();
  const [, navigate] = useLocation();
  const history = useHistory(location);
  const known = versionsOf(history.data).map(({ version }) => version);
  const chosenTo = data?.to.id ?? to ?? '';
  const chosenFrom = data === undefined ? (from ?? '') : (data.from?.id ?? '');
  // A version from further back than the pages that were fetched stands at the end.
  const versions = [data?.from, data?.to].reduce<Version[]>(
    (all, each) => (each === undefined || each === null || all.some(({ id }) => id === each.id) ? all : [...all, each]),
    [...known],
  );
  const choose = (next: { from?: string; to?: string }): void => {
    if (next.from === olderVersions || next.to === olderVersions) {
      void history.fetchNextPage();
      return;
    }
    navigate(viewOf.changes(name, location, next.to ?? chosenTo, next.from ?? chosenFrom), { replace: true });
  };
  const optionsFor = (chosen: string): ReactNode => (
    <>
      {chosen !== '' && !versions.some(({ id }) => id === chosen) && <option value={chosen}>Loading…</option>}
      {versions.map((version) => (
        <option key={version.id} value={version.id}>
          {describeVersion(version)}
          {version.id === known[0]?.id ? ' (current)' : ''}
        </option>
      ))}
      {history.hasNextPage && <option value={olderVersions}>Load older versions…</option>}
    </>
  );
  return (
    <div className="diff-pickers">
      <SelectField label="From" value={chosenFrom} onChange={(event) => choose({ from: event.target.value })}>
        {chosenFrom === '' && (
          <option value="">{data === undefined ? 'The version before' : 'Nothing: the first version'}</option>
        )}
        {optionsFor(chosenFrom)}
      </SelectField>
      <SelectField label="To" value={chosenTo} onChange={(event) => choose({ to: event.target.value })}>
        {chosenTo === '' && <option value="">The current version</option>}
        {optionsFor(chosenTo)}
      </SelectField>
    </div>
  );
}

/** The width of an element in pixels, kept up to date. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    setWidth(current.getBoundingClientRect().width);
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** The lines that differ, with the way from change to change. Or why there are none. */
export function Comparison({ location, compared }: { location: string; compared: Diff }): ReactNode {
  const { diff, is_same: isSame, not_compared_because: why, to } = compared;
  const box = useRef<HTMLDivElement>(null);
  const handle = useRef<DiffHandle>(null);
  const width = useWidth(box);
  const [isUnified, setUnified] = useState(() => localStorage.getItem(layoutKey) === 'unified');
  const isWide = width >= sideBySideFrom;
  const isSideBySide = isWide && !isUnified;
  const changes = diff === null ? 0 : makeBlocks(diff.hunks, false).changes;
  const choose = (unified: boolean): void => {
    localStorage.setItem(layoutKey, unified ? 'unified' : 'side');
    setUnified(unified);
  };
  return (
    <div ref={box} className="comparison">
      {isSame ? (
        <State title="Both versions have the same content">
          <p>They differ at most in who wrote them, when, and where the document was.</p>
        </State>
      ) : why !== null || diff === null ? (
        <NotCompared why={why} />
      ) : changes === 0 ? (
        <State title="Nothing was changed" />
      ) : (
        <>
          <div className="diff-bar" role="toolbar" aria-label="Changes">
            <span className="diff-counts">
              <span className="diff-added">+{diff.added}</span> <span className="diff-removed">−{diff.removed}</span>
              <span className="visually-hidden">
                {diff.added} lines added, {diff.removed} lines removed
              </span>
            </span>
            <span className="spacer" />
            <Steps changes={changes} handle={handle} />
            {isWide && (
              <IconButton
                label={isUnified ? 'Show side by side' : 'Show in one column'}
                icon={isUnified ? Columns2 : Rows2}
                onClick={() => choose(!isUnified)}
              />
            )}
          </div>
          {compared.extracted === true && (
            <p className="soft small">These are the texts that were made of the files.</p>
          )}
          {!diff.is_shortest && (
            <Notice>
              <p>These versions differ very much. Some lines are shown as replaced that could be shown as kept.</p>
            </Notice>
          )}
          {width > 0 && (
            <DiffView location={location} diff={diff} to={to.id} isSideBySide={isSideBySide} handle={handle} />
          )}
        </>
      )}
    </div>
  );
}

/** Buttons to the next and the previous change, and their keys. */
function Steps({ changes, handle }: { changes: number; handle: RefObject<DiffHandle | null> }): ReactNode {
  const [at, setAt] = useState(-1);
  const go = (to: number): void => {
    const next = Math.max(0, Math.min(changes - 1, to));
    setAt(next);
    handle.current?.goTo(next);
    announce(`Change ${next + 1} of ${changes}.`);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      // There the keys have a meaning of their own.
      if (event.target instanceof HTMLElement && event.target.matches('select, input')) return;
      event.preventDefault();
      go(event.key === 'ArrowDown' ? at + 1 : at - 1);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
  return (
    <>
      <span className="soft small diff-steps">
        {at < 0 ? `${changes} ${changes === 1 ? 'change' : 'changes'}` : `Change ${at + 1} of ${changes}`}
      </span>
      <Button
        size="small"
        icon={ArrowUp}
        aria-keyshortcuts="Alt+ArrowUp"
        title="Previous change (Alt+↑)"
        aria-label="Previous change"
        onClick={() => go(at - 1)}
      />
      <Button
        size="small"
        icon={ArrowDown}
        aria-keyshortcuts="Alt+ArrowDown"
        title="Next change (Alt+↓)"
        aria-label="Next change"
        onClick={() => go(at + 1)}
      />
    </>
  );
}

function NotCompared({ why }: { why: Diff['not_compared_because'] }): ReactNode {
  return why === 'binary' ? (
    <State icon={FileX2} title="These versions are not text">
      <p>Only texts are compared line by line. View or download each version to see it.</p>
    </State>
  ) : (
    <State icon={FileX2} title="These versions are too large to compare">
      <p>Texts of up to 1 MiB and 50,000 lines are compared. View or download each version to see it.</p>
    </State>
  );
}
