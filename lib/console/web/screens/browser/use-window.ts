import { useCallback, useEffect, useLayoutEffect, useState, type RefObject } from 'react';

/** Rows rendered above and below those that can be seen. */
const more = 12;
/** The window moves in steps of so many rows, so that scrolling renders seldom. */
const step = 6;
const usualRowHeight = 45;

export interface RowWindow {
  /** The rows to render: from the first, before the last. */
  readonly first: number;
  readonly end: number;
  /** Pixels of a row. All rows have the same height. */
  readonly rowHeight: number;
  /** Brings a row into view. */
  readonly reveal: (row: number) => void;
}

/**
 * The rows of a long list that can be seen while the page scrolls. Only these are rendered, so a list of ten thousand
 * rows costs what a list of fifty does.
 * @param list the element that holds the rows; its first row is measured
 */
export function useRowWindow(list: RefObject<HTMLElement | null>, count: number): RowWindow {
  const [rowHeight, setRowHeight] = useState(usualRowHeight);
  const [first, setFirst] = useState(0);
  const [shown, setShown] = useState(40);

  const look = useCallback((): void => {
    const element = list.current;
    if (element === null) return;
    const top = -element.getBoundingClientRect().top;
    const seen = Math.floor(top / rowHeight) - more;
    setFirst(Math.max(0, Math.floor(seen / step) * step));
    setShown(Math.ceil(window.innerHeight / rowHeight) + 2 * more + step);
  }, [list, rowHeight]);

  const hasRows = count > 0;
  useLayoutEffect(() => {
    if (!hasRows) return undefined;
    const measure = (): void => {
      const row = list.current?.querySelector<HTMLElement>('[data-row]');
      if (row !== null && row !== undefined && row.offsetHeight > 0) setRowHeight(row.offsetHeight);
    };
    measure();
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  }, [list, hasRows]);

  useEffect(() => {
    look();
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    return () => {
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
    };
  }, [look]);

  const reveal = useCallback(
    (row: number): void => {
      const element = list.current;
      if (element === null) return;
      const top = element.getBoundingClientRect().top + row * rowHeight;
      const margin = 2 * rowHeight;
      if (top < margin) window.scrollBy({ top: top - margin });
      else if (top + rowHeight + margin > window.innerHeight) {
        window.scrollBy({ top: top + rowHeight + margin - window.innerHeight });
      }
    },
    [list, rowHeight],
  );
  return { first: Math.min(first, count), end: Math.min(first + shown, count), rowHeight, reveal };
}
