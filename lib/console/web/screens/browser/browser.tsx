import { Upload } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useLive } from '../../api/live-connection.ts';
import { asProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { MirrorNotice } from '../../design/mirror-notice.tsx';
import { Page } from '../../design/page.tsx';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { addressOf, folderOf, nameOf } from '../../navigation/addresses.ts';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import type { PickedFile } from '../upload/collect-files.ts';
import { onUploaded, startUploads } from '../upload/uploads.ts';
import { Dialogs, type Asked } from './dialogs.tsx';
import { EmptyFolder } from './empty-folder.tsx';
import { listActions } from './entry-actions.ts';
import { EntryList } from './entry-list.tsx';
import { crumbsOf, FolderActions, startName } from './folder-head.tsx';
import { mayDelete, mayEdit, mayEditEntry } from './may.ts';
import {
  isShort,
  keyOf,
  useListing,
  useListingChanges,
  type Entry,
  type FolderEntry,
  type Sort,
} from './browser-queries.ts';
import { SelectionBar } from './selection-bar.tsx';
import { keepWithin, noSelection } from './selection.ts';
import { useDeletes } from './use-deletes.ts';
import { useFileDrop } from './use-file-drop.ts';

/** Milliseconds between two questions for a listing of many pages. */
const longDelay = 15_000;

/** The documents of a workspace: one level of a folder, or the places where the person can begin. */
export function Browser({ workspace, rest: location }: ScreenProps): ReactNode {
  const { principal_id: principalId } = useWorkspace();
  const [, navigate] = useLocation();
  const [sort, setSort] = useSort();
  const listing = useListing(workspace, location, sort);
  const changes = useListingChanges(workspace);
  const [kept, setSelection] = useState(noSelection);
  const [asked, setAsked] = useState<Asked | undefined>();
  const [focusTurn, setFocusTurn] = useState(0);
  const { data, fetchNextPage } = listing;
  const entries = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const keys = useMemo(() => entries.map(keyOf), [entries]);
  const selection = useMemo(() => keepWithin(kept, keys), [kept, keys]);
  const first = data?.pages[0];
  const folder = first?.folder ?? null;
  const isEditor = folder !== null && mayEdit(folder.role, folder.read_only);
  const self = useMemo<FolderEntry | undefined>(
    () => (folder === null ? undefined : { type: 'folder', role: folder.role, folder: { ...folder, source: null } }),
    [folder],
  );

  const clear = useCallback((): void => {
    setSelection((before) => ({ ...before, chosen: new Set() }));
    setFocusTurn((turn) => turn + 1);
  }, []);
  const askDelete = useCallback(
    (doomed: readonly Entry[], isPartial: boolean) => setAsked({ about: 'delete', entries: doomed, isPartial }),
    [],
  );
  const { remove, follow } = useDeletes({ workspace, location, changes, ask: askDelete, onGone: clear });
  const actionsFor = useCallback(
    (entry: Entry) =>
      listActions(entry, { workspace, principalId, mayRename: isEditor, navigate, ask: setAsked, remove }),
    [workspace, principalId, isEditor, navigate, remove],
  );
  const selected = useMemo(
    () => entries.filter((entry) => selection.chosen.has(keyOf(entry))),
    [entries, selection.chosen],
  );
  const isChoosable = useMemo(() => entries.some(mayEditEntry), [entries]);

  const upload = (files: readonly PickedFile[]): void => startUploads(workspace, location, files);
  const isDropping = useFileDrop(isEditor ? upload : undefined);
  const isLong = !isShort(data);
  useRenewAfterUploads(workspace, location, changes.renew, isLong ? longDelay : 1000);
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const close = (): void => setAsked(undefined);

  const title = (folder === null ? location : folder.location) === '' ? startName : nameOf(location);
  const isGone = listing.error !== null && asProblem(listing.error).code === 'NOT_FOUND';
  if (first === undefined || isGone) {
    return (
      <Page title={title}>
        {listing.error === null ? (
          <Skeleton lines={10} />
        ) : (
          <ProblemState error={listing.error} what="folder" onRetry={() => void listing.refetch()} />
        )}
      </Page>
    );
  }
  const crumbs = crumbsOf(workspace, first);
  return (
    <Page
      title={title}
      {...(crumbs !== undefined && { crumbs })}
      actions={
        self !== undefined && <FolderActions workspace={workspace} self={self} onFiles={upload} ask={setAsked} />
      }
    >
      {folder !== null && (
        <FollowFolder
          workspace={workspace}
          location={location}
          // Until its own listing has come, the one before stands here.
          page={folder.location === location ? first.page : undefined}
          onChange={() => changes.follow(location)}
          delay={isLong ? longDelay : 0}
        />
      )}
      {folder?.read_only === true && (
        <MirrorNotice
          workspace={workspace}
          what="folder"
          source={folder.source}
          isManager={folder.role === 'approver'}
        />
      )}
      {entries.length === 0 && !listing.hasNextPage ? (
        <EmptyFolder folder={folder} />
      ) : (
        <EntryList
          workspace={workspace}
          label={title}
          entries={entries}
          keys={keys}
          sort={sort}
          onSort={(to) => {
            setSort(to);
            setSelection(noSelection);
          }}
          selection={selection}
          onSelect={setSelection}
          isChoosable={isChoosable}
          showsPlace={folder === null}
          actionsFor={actionsFor}
          focusTurn={focusTurn}
          onDelete={(row) => {
            const active = entries[row];
            const all = selected.length > 0 ? selected : active === undefined ? [] : [active];
            const deletable = all.filter((entry) => mayDelete(entry, principalId));
            void remove(deletable, deletable.length < all.length);
          }}
          hasMore={listing.hasNextPage}
          isLoadingMore={listing.isFetchingNextPage}
          onMore={loadMore}
        />
      )}
      <SelectionBar
        selected={selected}
        principalId={principalId}
        onLabels={(about) => setAsked({ about: 'labels', entries: about })}
        onMove={(about) => setAsked({ about: 'move', entries: about })}
        onDelete={(doomed, isPartial) => void remove(doomed, isPartial)}
        onClear={clear}
      />
      {isDropping && (
        <div className="drop" aria-hidden>
          <Upload />
          <p>
            Drop to upload to <bdi>{title}</bdi>
          </p>
        </div>
      )}
      <Dialogs
        asked={asked}
        workspace={workspace}
        location={location}
        onClose={close}
        onNewFolder={(made) => {
          changes.renew(location);
          navigate(addressOf.folder(workspace, made));
        }}
        onLabels={(document, labels) => changes.relabel(location, document, labels)}
        onRelocated={(relocated) => {
          const own = relocated.find(({ from }) => from === location);
          changes.renew(own === undefined ? location : folderOf(location));
          if (own !== undefined) navigate(addressOf.folder(workspace, own.to), { replace: true });
          else clear();
        }}
        onDeleted={({ done, refused }) => {
          if (done.length > 0) follow(done);
          if (refused.length > 0) changes.renew(location);
          if (self === undefined || !done.some((entry) => keyOf(entry) === keyOf(self))) return;
          changes.renew(folderOf(location));
          navigate(addressOf.folder(workspace, folderOf(location)), { replace: true });
        }}
      />
    </Page>
  );
}

/** Shows what others change in the folder within seconds. */
function FollowFolder({
  workspace,
  location,
  page,
  onChange,
  delay,
}: {
  workspace: string;
  location: string;
  /** What came with the listing. */
  page: string | undefined;
  onChange: () => void;
  /** Milliseconds in which changes are gathered: a long listing takes many requests. */
  delay: number;
}): ReactNode {
  const timer = useRef<number>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const gather = (): void => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined;
      onChange();
    }, delay);
  };
  useLive(workspace, location, page, {
    onState: (_, before) => {
      if (before !== undefined) gather();
    },
    onGone: onChange,
  });
  return null;
}

/** Shows uploaded files in the list, but asks for it seldom. @param delay milliseconds between two questions */
function useRenewAfterUploads(
  workspace: string,
  location: string,
  renew: (location: string) => void,
  delay: number,
): void {
  useEffect(() => {
    let timer: number | undefined;
    const stop = onUploaded((where, stored) => {
      const isHere = where === workspace && (location === '' || stored.startsWith(`${location}/`));
      if (!isHere || timer !== undefined) return;
      timer = window.setTimeout(() => {
        timer = undefined;
        renew(location);
      }, delay);
    });
    return () => {
      stop();
      // The last ones are shown even if the person comes back soon.
      if (timer !== undefined) renew(location);
      window.clearTimeout(timer);
    };
  }, [workspace, location, renew, delay]);
}

const sortKey = 'cartulary-sort';
const sorts: readonly Sort[] = ['name', 'name-down', 'newest', 'oldest'];

/** The order of lists: the person's last choice in this browser. */
function useSort(): readonly [Sort, (sort: Sort) => void] {
  const [sort, setSort] = useState(() => sorts.find((each) => each === localStorage.getItem(sortKey)) ?? 'name');
  const choose = (to: Sort): void => {
    localStorage.setItem(sortKey, to);
    setSort(to);
  };
  return [sort, choose];
}
