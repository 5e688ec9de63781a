import type { Document } from '../../domain/document.js';
import { segmentsOf, type Location } from '../../domain/location.js';
import type { Page } from '../../domain/page.js';
import type { View } from '../../view/view.js';

const pageSize = 100;

/**
 * The documents of a folder and those below, from after a place on: a folder's own first, then its folders in order.
 * @param after a place in the folder, which may be gone; '' for the start
 */
export function walkAfter(view: View, folder: Location, after: string, isRecursive: boolean): Generator<Document> {
  const passed = after === '' ? [] : segmentsOf(after as Location).slice(segmentsOf(folder).length);
  return walk(view, folder, passed, isRecursive);
}

/** @param passed the names that lead from the folder to the place */
function* walk(
  view: View,
  folder: Location,
  [first = '', ...rest]: readonly string[],
  isRecursive: boolean,
): Generator<Document> {
  const isBelow = rest.length > 0;
  if (!isBelow)
    yield* pages(
      first,
      (after) => view.documents(folder, after, pageSize),
      ({ name }) => name,
    );
  if (!isRecursive) return;
  if (isBelow) {
    const inside = (folder === '' ? first : `${folder}/${first}`) as Location;
    yield* walk(view, inside, rest, true);
  }
  const children = pages(
    isBelow ? first : '',
    (after) => view.folders(folder, after, pageSize),
    ({ name }) => name,
  );
  for (const child of children) yield* walk(view, child.location, [], true);
}

function* pages<Item>(
  from: string,
  read: (after: string) => Page<Item>,
  nameOf: (item: Item) => string,
): Generator<Item> {
  for (let after = from; ;) {
    const page = read(after);
    yield* page.items;
    const last = page.items.at(-1);
    if (page.next === null || last === undefined) return;
    after = nameOf(last);
  }
}
