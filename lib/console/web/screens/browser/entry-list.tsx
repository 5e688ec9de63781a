import { ArrowDown, ArrowUp } from 'lucide-react';
import {
  useEffect,
  useMemo,
  useRef,
  type Dispatch,
  type KeyboardEvent,
  type ReactNode,
  type SetStateAction,
} from 'react';
import { useLocation } from 'wouter';
import { announce } from '../../design/announce.tsx';
import { Button } from '../../design/button.tsx';
import type { MenuAction } from '../../design/menu-list.tsx';
import { addressOf } from '../../navigation/addresses.ts';
import { EntryRow } from './entry-row.tsx';
import { locationOf, type Entry, type Sort } from './browser-queries.ts';
import { chooseAll, extendTo, moveTo, noSelection, toggle, type Selection } from './selection.ts';
import { useRowWindow } from './use-window.ts';

interface EntryListProps {
  readonly workspace: string;
  readonly label: string;
  readonly entries: readonly Entry[];
  /** Of each entry, its name by `keyOf`. */
  readonly keys: readonly string[];
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  readonly selection: Selection;
  readonly onSelect: Dispatch<SetStateAction<Selection>>;
  readonly isChoosable: boolean;
  readonly showsPlace: boolean;
  readonly actionsFor: (entry: Entry) => readonly MenuAction[];
  /** @param row that has the focus */
  readonly onDelete: (row: number) => void;
  /** Changes when the active row is to take the focus. */
  readonly focusTurn: number;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly onMore: () => void;
}

/** Rows that Page Up and Page Down pass over. */
const pageOfRows = 15;
/** So many rows before the end, the next page is fetched. */
const nearEnd = 30;

/** The list of a folder: a grid that the keys move in. It renders the rows that can be seen. */
export function EntryList(props: EntryListProps): ReactNode {
  const { workspace, label, entries, keys, sort, onSort, selection, onSelect, isChoosable, showsPlace, actionsFor } =
    props;
  const { hasMore, isLoadingMore, onMore, focusTurn } = props;
  const [, navigate] = useLocation();
  const list = useRef<HTMLDivElement>(null);
  const { first, end, rowHeight, reveal } = useRowWindow(list, entries.length);
  const wantsFocus = useRef(false);

  useEffect(() => {
    if (hasMore && !isLoadingMore && end > entries.length - nearEnd) onMore();
  }, [hasMore, isLoadingMore, end, entries.length, onMore]);

  useEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    list.current?.querySelector<HTMLElement>(`[data-row="${selection.active}"]`)?.focus({ preventScroll: true });
  }, [selection.active]);
  const lastTurn = useRef(focusTurn);
  useEffect(() => {
    if (lastTurn.current === focusTurn) return;
    lastTurn.current = focusTurn;
    list.current?.querySelector<HTMLElement>(`[data-row="${selection.active}"]`)?.focus();
  }, [focusTurn, selection.active]);

  /** @returns the row that a key leads to */
  const targetOf = (key: string, row: number): number | undefined => {
    const last = entries.length - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: row + 1,
      ArrowUp: row - 1,
      PageDown: row + pageOfRows,
      PageUp: row - pageOfRows,
      Home: 0,
      End: last,
    };
    const target = targets[key];
    return target === undefined ? undefined : Math.max(0, Math.min(last, target));
  };

  const open = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    const address = entry.type === 'folder' ? addressOf.folder : addressOf.document;
    navigate(address(workspace, locationOf(entry)));
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    // Keys pressed in a row's menu or link are theirs.
    if (!(event.target instanceof HTMLElement) || event.target.getAttribute('role') !== 'row') return;
    // The row with the focus counts: others may have come or gone above it since it got the focus.
    const row = Number(event.target.dataset['row']);
    const at = row === selection.active ? selection : moveTo(selection, row);
    const target = targetOf(event.key, row);
    if (target !== undefined) {
      event.preventDefault();
      wantsFocus.current = true;
      reveal(target);
      onSelect(isChoosable && event.shiftKey ? extendTo(at, target, keys) : moveTo(at, target));
      return;
    }
    const isCommand = event.metaKey || event.ctrlKey;
    if (event.key === 'Enter') open(entries[row]);
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault();
      event.target.querySelector<HTMLElement>('.entry-menu button')?.click();
    } else if (!isChoosable) return;
    else if (event.key === ' ') {
      event.preventDefault();
      onSelect(toggle(at, row, keys));
    } else if (event.key.toLowerCase() === 'a' && isCommand) {
      event.preventDefault();
      onSelect(chooseAll(at, keys));
      announce('All loaded rows are selected.');
    } else if (event.key === 'Escape' && selection.chosen.size > 0) {
      onSelect({ ...noSelection, active: row, anchor: row });
    } else if (event.key === 'Delete' || (event.key === 'Backspace' && isCommand)) props.onDelete(row);
  };

  const choose = useMemo(
    () => (index: number, isRange: boolean) =>
      onSelect((before) => (isRange ? extendTo(before, index, keys) : toggle(before, index, keys))),
    [onSelect, keys],
  );
  const shown = useMemo(
    () => listShown(first, end, selection.active, entries.length),
    [first, end, selection.active, entries.length],
  );
  const render = (index: number): ReactNode => {
    const entry = entries[index];
    const key = keys[index];
    if (entry === undefined || key === undefined) return null;
    return (
      <EntryRow
        key={key}
        workspace={workspace}
        entry={entry}
        index={index}
        top={index * rowHeight}
        isActive={index === selection.active}
        isChosen={selection.chosen.has(key)}
        isChoosable={isChoosable}
        showsPlace={showsPlace}
        actionsFor={actionsFor}
        onChoose={choose}
      />
    );
  };
  return (
    <>
      <div
        role="grid"
        tabIndex={-1}
        className={selection.chosen.size > 0 ? 'entries choosing' : 'entries'}
        aria-label={label}
        aria-multiselectable={isChoosable || undefined}
        aria-rowcount={hasMore ? -1 : entries.length + 1}
        aria-busy={isLoadingMore}
        onKeyDown={onKeyDown}
        onFocus={({ target }) => {
          const row = Number(target.getAttribute('data-row') ?? Number.NaN);
          if (!Number.isNaN(row) && row !== selection.active) onSelect(moveTo(selection, row));
        }}
      >
        <SortRow sort={sort} onSort={onSort} />
        <div role="rowgroup" className="entry-rows" ref={list} style={{ height: entries.length * rowHeight }}>
          {shown.map(render)}
        </div>
      </div>
      {hasMore && (
        <div className="entries-more">
          <Button isPending={isLoadingMore} onClick={onMore}>
            Load more
          </Button>
        </div>
      )}
    </>
  );
}

/** The rows in view, and the one with the focus wherever it is: a row that went would take the focus with it. */
function listShown(first: number, end: number, active: number, count: number): number[] {
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  if (active < count && (active < first || active >= end)) rows.push(active);
  return rows;
}

const sortNames = { name: 'Name', time: 'Last change' } as const;

function SortRow({ sort, onSort }: Pick<EntryListProps, 'sort' | 'onSort'>): ReactNode {
  const byName = sort === 'name' || sort === 'name-down';
  const isUp = sort === 'name' || sort === 'oldest';
  const Arrow = isUp ? ArrowUp : ArrowDown;
  const direction = isUp ? 'ascending' : 'descending';
  return (
    <div role="rowgroup">
      <div role="row" className="entries-head" aria-rowindex={1}>
        <span role="columnheader" className="entry-choice">
          <span className="visually-hidden">Selection</span>
        </span>
        <span role="columnheader" className="entry-name" aria-sort={byName ? direction : 'none'}>
          <button type="button" className="sort" onClick={() => onSort(sort === 'name' ? 'name-down' : 'name')}>
            {sortNames.name}
            {byName && <Arrow aria-hidden />}
          </button>
        </span>
        <span role="columnheader" className="entry-who">
          Changed by
        </span>
        <span role="columnheader" className="entry-time" aria-sort={byName ? 'none' : direction}>
          <button type="button" className="sort" onClick={() => onSort(sort === 'newest' ? 'oldest' : 'newest')}>
            {sortNames.time}
            {!byName && <Arrow aria-hidden />}
          </button>
        </span>
        <span role="columnheader" className="entry-menu">
          <span className="visually-hidden">Actions</span>
        </span>
      </div>
    </div>
  );
}
