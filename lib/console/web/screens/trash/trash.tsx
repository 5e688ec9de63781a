import { Flame, Trash2, Undo2, X } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { asProblem } from '../../api/problem.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { forEachAtOnce } from '../../api/retry-when-limited.ts';
import { announce } from '../../design/announce.tsx';
import { Button, IconButton, LinkButton } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Page } from '../../design/page.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { showProblem, showToast } from '../../design/toast.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import type { ScreenProps } from '../../navigation/screen-props.ts';
import { OccupiedDialog } from './occupied-dialog.tsx';
import { bringBack, keyOf, useRemoveFromTrash, useTrash, type Trashed } from './trash-queries.ts';
import { TrashRow } from './trash-row.tsx';

const atOnce = 4;

/** Something deleted, and what keeps it from coming back. */
interface Occupied {
  readonly item: Trashed;
  /** Where the other thing is: at the place itself, or with a name that many disks take for the same. */
  readonly place: string;
}

/** Deleted documents and folders that the person may bring back. */
export function Trash({ workspace }: ScreenProps): ReactNode {
  const [, navigate] = useLocation();
  const folder = new URLSearchParams(useSearch()).get('folder') ?? '';
  const attempts = useAttempts();
  const trash = useTrash(workspace, folder);
  const removeFromTrash = useRemoveFromTrash(workspace);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [pending, setPending] = useState<ReadonlySet<string>>(new Set());
  const [occupied, setOccupied] = useState<Occupied>();
  const items = useMemo(() => trash.data?.pages.flatMap((page) => page.items) ?? [], [trash.data]);
  const below = (place: string): string =>
    addressOf.trash(workspace) + (place === '' ? '' : `?folder=${encodeURIComponent(place)}`);

  const restore = async (wanted: readonly Trashed[]): Promise<void> => {
    const [only] = wanted;
    setPending(new Set(wanted.map(keyOf)));
    const done = new Set<string>();
    const refused: { item: Trashed; error: unknown }[] = [];
    let left = 0;
    await forEachAtOnce(wanted, atOnce, async (item) => {
      try {
        const thing = keyOf(item);
        left += (await bringBack(workspace, item, attempts.keyFor(item.deleted_at, thing))).left;
        attempts.done(thing);
        done.add(thing);
      } catch (error) {
        refused.push({ item, error });
      }
    });
    setPending(new Set());
    setSelected((before) => new Set([...before].filter((key) => !done.has(key))));
    if (done.size > 0) {
      removeFromTrash(done);
      tell(
        wanted.filter((item) => done.has(keyOf(item))),
        left,
      );
    }
    const [first] = refused;
    if (first === undefined) return;
    const { reason, details } = asProblem(first.error);
    if (reason === 'location_occupied' && wanted.length === 1 && only?.type === 'document') {
      const { location: place } = details;
      setOccupied({
        item: { ...only, occupant: only.occupant ?? 'document' },
        place: typeof place === 'string' ? place : only.location,
      });
    } else if (wanted.length === 1) showProblem(first.error);
    else {
      showToast({
        text: `${refused.length} could not come back: ${asProblem(first.error).sentence}`,
        tone: 'danger',
      });
    }
  };
  /** Says what is back, and leads there. */
  const tell = (done: readonly Trashed[], left: number): void => {
    const [only] = done;
    const what = done.length === 1 && only !== undefined ? `“${only.name}” is back.` : `${done.length} items are back.`;
    const rest = left === 0 ? '' : ` Documents whose places are taken stay here: ${left}.`;
    const show = only === undefined ? undefined : addressOf[only.type](workspace, only.location);
    showToast({
      text: what + rest,
      ...(done.length === 1 && show !== undefined && { action: { label: 'Show', run: () => navigate(show) } }),
    });
  };
  const toggle = (key: string): void => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    setSelected(next);
  };
  const wanted = items.filter((item) => selected.has(keyOf(item)));
  return (
    <Page
      title="Trash"
      actions={
        <>
          <FolderFilter key={folder} folder={folder} onFolder={(to) => navigate(below(to))} />
          <LinkButton look="quiet" icon={Flame} href={addressOf.erasures(workspace)}>
            Erased
          </LinkButton>
        </>
      }
    >
      {trash.data === undefined ? (
        trash.error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ProblemState error={trash.error} onRetry={() => void trash.refetch()} />
        )
      ) : items.length === 0 && !trash.hasNextPage ? (
        <EmptyTrash folder={folder} all={below('')} />
      ) : (
        <ul className="trash-list" aria-label="Deleted documents and folders">
          {items.map((item) => {
            const key = keyOf(item);
            return (
              <TrashRow
                key={key}
                item={item}
                folder={folder}
                below={below}
                isSelected={selected.has(key)}
                isPending={pending.has(key)}
                onSelect={() => toggle(key)}
                onBringBack={() => {
                  if (item.type === 'document' && item.occupant !== null) setOccupied({ item, place: item.location });
                  else void restore([item]);
                }}
              />
            );
          })}
        </ul>
      )}
      {trash.hasNextPage && (
        <div className="entries-more">
          <Button isPending={trash.isFetchingNextPage} onClick={() => void trash.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
      {wanted.length > 0 && (
        <div className="selection-bar" role="toolbar" aria-label="Selected rows">
          <span className="selection-count">{wanted.length} selected</span>
          <Button
            size="small"
            look="primary"
            icon={Undo2}
            isPending={pending.size > 0}
            onClick={() => void restore(wanted)}
          >
            Bring back selected
          </Button>
          <IconButton
            label="Clear the selection"
            icon={X}
            onClick={() => {
              setSelected(new Set());
              announce('Nothing is selected.');
            }}
          />
        </div>
      )}
      {occupied !== undefined && (
        <OccupiedDialog
          workspace={workspace}
          {...occupied}
          onClose={() => setOccupied(undefined)}
          onFree={() => void restore([{ ...occupied.item, occupant: null }])}
        />
      )}
    </Page>
  );
}

function FolderFilter({ folder, onFolder }: { folder: string; onFolder: (folder: string) => void }): ReactNode {
  const [text, setText] = useState(folder);
  return (
    <form
      className="cluster trash-filter"
      role="search"
      aria-label="Trash of one folder"
      onSubmit={(event) => {
        event.preventDefault();
        onFolder(text.trim().replace(/^\/|\/$/g, ''));
      }}
    >
      <TextField
        label="Only below this folder"
        isLabelHidden
        value={text}
        placeholder="Only below a folder…"
        onChange={({ target }) => setText(target.value)}
      />
      {folder !== '' && <IconButton label="Show the whole trash" icon={X} onClick={() => onFolder('')} />}
    </form>
  );
}

function EmptyTrash({ folder, all }: { folder: string; all: string }): ReactNode {
  if (folder !== '') {
    return (
      <State
        icon={Trash2}
        title="Nothing to bring back here"
        actions={<LinkButton href={all}>Show the whole trash</LinkButton>}
      >
        <p>
          Nothing that you may bring back was deleted below <bdi>{folder}</bdi>.
        </p>
      </State>
    );
  }
  return (
    <State icon={Trash2} title="There is nothing to bring back">
      <p>
        Documents and folders that are deleted where you are an editor appear here. They stay until they are erased.
      </p>
    </State>
  );
}
