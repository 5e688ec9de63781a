import { Tags, Trash2, Upload, X } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useWorkspace } from '../../api/session.ts';
import { announce } from '../../design/announce.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { Page } from '../../design/page.tsx';
import { ProblemState, Skeleton } from '../../design/state.tsx';
import { showProblem, showToast } from '../../design/toast.tsx';
import { addressOf, folderOf } from '../../shell/addresses.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import type { PickedFile } from '../upload/collect-files.ts';
import { onUploaded, startUploads } from '../upload/uploads.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { discardAll, recallAll } from './discard.ts';
import { EmptyFolder } from './empty-folder.tsx';
import { listActions } from './entry-actions.ts';
import { EntryList } from './entry-list.tsx';
import { crumbsOf, FolderActions, startName } from './folder-head.tsx';
import { LabelsDialog } from './labels-dialog.tsx';
import { mayDelete, mayEdit, mayLabel } from './may.ts';
import { nameEntries } from './name-entries.ts';
import { NewFolderDialog } from './new-folder-dialog.tsx';
import { keyOf, useListing, useListingChanges, type DocumentEntry, type Entry, type FolderEntry } from './queries.ts';
import { keepWithin, noSelection } from './selection.ts';
import { useFileDrop } from './use-file-drop.ts';
import { useSort } from './use-sort.ts';

/** What a dialog is open about. */
type Asked =
  | { readonly about: 'new-folder' }
  | { readonly about: 'labels'; readonly entries: readonly DocumentEntry[] }
  | { readonly about: 'delete'; readonly entries: readonly Entry[]; readonly isPartial?: boolean };

/** The documents of a workspace: one level of a folder, or the places where the person can begin. */
export function Browser({ workspace, rest: location }: ScreenProps): ReactNode {
  const { principal_id: principalId } = useWorkspace();
  const [, navigate] = useLocation();
  const [sort, setSort] = useSort();
  const listing = useListing(workspace, location, sort);
  const changes = useListingChanges(workspace);
  const [kept, setSelection] = useState(noSelection);
  const [asked, setAsked] = useState<Asked>();
  const [focusTurn, setFocusTurn] = useState(0);
  const { data, fetchNextPage } = listing;
  const entries = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const selection = useMemo(() => keepWithin(kept, entries.map(keyOf)), [kept, entries]);
  const first = data?.pages[0];
  const folder = first?.folder ?? null;
  const isEditor = folder !== null && mayEdit(folder.role, folder.read_only);

  const remove = useCallback(
    async (doomed: readonly Entry[], isPartial = false): Promise<void> => {
      const [only] = doomed;
      if (doomed.length !== 1 || only?.type !== 'document' || isPartial) {
        if (doomed.length > 0) setAsked({ about: 'delete', entries: doomed, isPartial });
        return;
      }
      const { done, refused } = await discardAll(workspace, doomed, () => undefined);
      if (refused[0] !== undefined) {
        showProblem(refused[0].error);
        changes.renew(location);
      }
      if (done.length > 0) finish(done);
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [workspace, location],
  );
  /** Takes what is gone out of the list, and offers the way back. */
  const finish = (done: readonly Entry[]): void => {
    changes.remove(location, new Set(done.map(keyOf)));
    setSelection((before) => ({ ...before, chosen: new Set() }));
    setFocusTurn((turn) => turn + 1);
    const undo = async (): Promise<void> => {
      const { refused } = await recallAll(workspace, done);
      changes.renew(location);
      if (refused[0] === undefined) showToast({ text: `${nameEntries(done)} came back.` });
      else showProblem(refused[0].error);
    };
    showToast({ text: `${nameEntries(done)} went to the trash.`, action: { label: 'Undo', run: () => void undo() } });
  };

  const actionsFor = useCallback(
    (entry: Entry) =>
      listActions(entry, {
        workspace,
        principalId,
        navigate,
        onLabels: (about) => setAsked({ about: 'labels', entries: about }),
        onDelete: (doomed) => void remove(doomed),
      }),
    [workspace, principalId, navigate, remove],
  );
  const chosen = useMemo(
    () => entries.filter((entry) => selection.chosen.has(keyOf(entry))),
    [entries, selection.chosen],
  );
  const isChoosable = useMemo(
    () => entries.some((entry) => mayLabel(entry) || mayDelete(entry, principalId)),
    [entries, principalId],
  );
  const deletable = chosen.filter((entry) => mayDelete(entry, principalId));
  const labelled = chosen.filter((entry): entry is DocumentEntry => mayLabel(entry));

  const upload = (files: readonly PickedFile[]): void => startUploads(workspace, location, files);
  const isDropping = useFileDrop(isEditor ? upload : undefined);
  useRenewAfterUploads(workspace, location, changes.renew);
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const close = (): void => setAsked(undefined);

  const title = folder === null || folder.location === '' ? startName : folder.name;
  const crumbs = first === undefined ? undefined : crumbsOf(workspace, first);
  if (first === undefined) {
    return (
      <Page title={location === '' ? startName : (location.split('/').at(-1) ?? startName)}>
        {listing.error === null ? (
          <Skeleton lines={10} />
        ) : (
          <ProblemState error={listing.error} what="folder" onRetry={() => void listing.refetch()} />
        )}
      </Page>
    );
  }
  const self: FolderEntry | undefined =
    folder === null ? undefined : { type: 'folder', role: folder.role, folder: { ...folder, source: null } };
  return (
    <Page
      title={title}
      {...(crumbs !== undefined && { crumbs })}
      actions={
        folder !== null && (
          <FolderActions
            workspace={workspace}
            folder={folder}
            onFiles={upload}
            onNewFolder={() => setAsked({ about: 'new-folder' })}
            onDelete={() => self !== undefined && setAsked({ about: 'delete', entries: [self] })}
          />
        )
      }
    >
      {folder?.read_only === true && (
        <Notice title="This folder is a mirror">
          A connector brings its content here, so it is changed at its source and only read here.
        </Notice>
      )}
      {entries.length === 0 && listing.hasNextPage !== true ? (
        <EmptyFolder folder={folder} />
      ) : (
        <EntryList
          workspace={workspace}
          label={title}
          entries={entries}
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
          onDelete={() => {
            const active = entries[selection.active];
            if (chosen.length > 0) void remove(deletable, deletable.length < chosen.length);
            else if (active !== undefined && mayDelete(active, principalId)) void remove([active]);
          }}
          hasMore={listing.hasNextPage}
          isLoadingMore={listing.isFetchingNextPage}
          onMore={loadMore}
        />
      )}
      {chosen.length > 0 && (
        <div className="selection-bar" role="toolbar" aria-label="Selected rows">
          <span className="selection-count">{chosen.length} selected</span>
          {labelled.length > 0 && (
            <Button size="small" icon={Tags} onClick={() => setAsked({ about: 'labels', entries: labelled })}>
              Labels
            </Button>
          )}
          {deletable.length > 0 && (
            <Button size="small" look="danger-plain" icon={Trash2} onClick={() => void remove(deletable, deletable.length < chosen.length)}>
              Delete
            </Button>
          )}
          <IconButton
            label="Clear the selection"
            icon={X}
            onClick={() => {
              setSelection((before) => ({ ...before, chosen: new Set() }));
              setFocusTurn((turn) => turn + 1);
              announce('Nothing is selected.');
            }}
          />
        </div>
      )}
      {isDropping && (
        <div className="drop" aria-hidden>
          <Upload />
          <p>
            Drop to upload to <bdi>{title}</bdi>
          </p>
        </div>
      )}
      {asked?.about === 'new-folder' && (
        <NewFolderDialog
          workspace={workspace}
          parent={location}
          onClose={close}
          onDone={(made) => {
            changes.renew(location);
            navigate(addressOf.folder(workspace, made));
          }}
        />
      )}
      {asked?.about === 'labels' && (
        <LabelsDialog
          workspace={workspace}
          entries={asked.entries}
          onClose={close}
          onLabels={(document, labels) => changes.relabel(location, document, labels)}
        />
      )}
      {asked?.about === 'delete' && (
        <DeleteDialog
          workspace={workspace}
          entries={asked.entries}
          isPartial={asked.isPartial === true}
          onClose={close}
          onDone={({ done, refused }) => {
            if (done.length > 0) finish(done);
            if (refused.length > 0) changes.renew(location);
            if (self !== undefined && done.some((entry) => keyOf(entry) === keyOf(self))) {
              navigate(addressOf.folder(workspace, folderOf(location)));
            }
          }}
        />
      )}
    </Page>
  );
}

/** Shows uploaded files in the list, but asks for it at most every second. */
function useRenewAfterUploads(workspace: string, location: string, renew: (location: string) => void): void {
  useEffect(() => {
    let timer: number | undefined;
    const stop = onUploaded((where, stored) => {
      const isHere = where === workspace && (location === '' || stored.startsWith(`${location}/`));
      if (!isHere || timer !== undefined) return;
      timer = window.setTimeout(() => {
        timer = undefined;
        renew(location);
      }, 1000);
    });
    return () => {
      stop();
      // The last ones are shown even if the person comes back soon.
      if (timer !== undefined) renew(location);
      window.clearTimeout(timer);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [workspace, location]);
}
