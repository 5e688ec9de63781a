import { compareText } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import type { Tables } from '../../sidecar/tables.js';
import type { ReadContext } from '../operation.js';
import { viewAsAdmin } from '../view-as-admin.js';
import { foldLoosely } from './fold-name.js';

export interface NamedPage {
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

interface Named {
  readonly id: string;
  readonly displayName: string;
}

/** Rows read before other requests get their turn. */
const rowsAtOnce = 500;

const positionOf = ({ id, displayName }: Named): string => `${foldLoosely(displayName)}\0${id}`;

/**
 * A page of a list in the order of names. The rows come in parts in another order, and each part is of its own moment.
 * So a list of any length holds up no other request.
 * @param read the rows behind one of them, at most so many
 * @param toItem the list's item for a row; undefined leaves it out
 */
export async function pageByName<Row, Item extends Named>(
  context: Pick<ReadContext, 'workspace' | 'caller'>,
  { after, limit }: NamedPage,
  read: (tables: Tables, behind: Row | undefined, most: number) => readonly Row[],
  toItem: (tables: Tables, row: Row) => Item | undefined,
): Promise<Page<Item>> {
  let first: { readonly item: Item; readonly position: string }[] = [];
  const keepFirst = (): void => {
    first = first.toSorted((a, b) => compareText(a.position, b.position)).slice(0, limit + 1);
  };
  for (let behind: Row | undefined; ;) {
    const { tables } = viewAsAdmin(context);
    const rows = read(tables, behind, rowsAtOnce);
    for (const row of rows) {
      const item = toItem(tables, row);
      if (item === undefined) continue;
      const position = positionOf(item);
      if (compareText(position, after) > 0) first.push({ item, position });
    }
    keepFirst();
    if (rows.length < rowsAtOnce) break;
    behind = rows.at(-1);
    await yieldToLoop();
  }
  const items = first.map(({ item }) => item);
  return makePage(items, limit, positionOf);
}
