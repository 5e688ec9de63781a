import { ancestorsOf, isWithin, parentOf, rootLocation, type Location } from '../../domain/location.js';
import type { Page } from '../../domain/page.js';
import { roleContains } from '../../domain/role.js';
import { findLastDeletion } from '../../history/find-folder-deletion.js';
import type { TrashPlace, TrashRow } from '../../sidecar/tables/trash-table.js';
import { descend } from '../../view/locate.js';
import type { View } from '../../view/view.js';
import type { ReadOperation } from '../operation.js';

/** Something deleted that the caller may bring back: a document, or a folder that was deleted as one. */
export interface Trashed extends Pick<TrashRow, 'location' | 'deletedAt' | 'deletedBy'> {
  /** Null for a folder. */
  readonly document: (Pick<TrashRow, 'id' | 'last'> & { readonly mayErase: boolean }) | null;
  /** What the caller can see at its place now, and which has to go first. */
  readonly occupant: 'document' | 'folder' | null;
  /** Whether a connector mirrors into its place now. */
  readonly readOnly: boolean;
}

export interface ListTrashInput {
  /** Only what was deleted below it; null for everything in the caller's reach. */
  readonly folder: Location | null;
  /** The position after the last one read; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/**
 * What the caller may bring back, the last deletion first. A folder deleted as one is one item for its editors; below
 * that folder its documents are listed. A page may hold fewer than requested and still not be the last.
 */
export const listTrash: ReadOperation<ListTrashInput, Page<Trashed>> = {
  kind: 'read',
  name: 'trash.list',
  isHeavy: true,
  needs: () => [],
  note: ({ folder }) => (folder === null ? {} : { target: folder }),
  run({ view }, { folder, after, limit }) {
    const trash = openTrash(view, folder);
    const items: Trashed[] = [];
    let place = parsePlace(after);
    let passed: number | undefined;
    for (let look = 0; look < trash.looks; look += 1) {
      const rows = trash.read(place);
      for (const row of rows) {
        if (row.moment === passed) continue;
        if (items.length === limit) return { items, next: formatPlace(place) };
        const gone = trash.folderDeletedWith(row);
        items.push(gone === undefined ? documentOf(view, row) : folderOf(view, row, gone));
        // Numbers begin with 1, so a 0 is the place after all documents of the deletion.
        place = gone === undefined ? row : { ...row, number: 0 };
        if (gone !== undefined) passed = row.moment;
      }
      if (rows.length < trash.rowsOfLook) return { items, next: null };
    }
    return { items, next: formatPlace(place) };
  },
};

/** Digits of each number in a position: its length must not tell how much there is. */
const digits = 16;

function formatPlace({ moment, number }: TrashPlace): string {
  return [moment, number].map((part) => String(part).padStart(digits, '0')).join('/');
}

function parsePlace(after: string): TrashPlace {
  if (after === '') return { moment: Number.MAX_SAFE_INTEGER, number: 0 };
  return { moment: Number(after.slice(0, digits)), number: Number(after.slice(digits + 1)) };
}

/** The deleted documents below a folder that the caller may edit. */
interface Trash {
  /** How often one page looks into the tables, and the most rows of a look. */
  readonly looks: number;
  readonly rowsOfLook: number;
  read(after: TrashPlace): readonly TrashRow[];
  /** The folder that went with the document, if it comes back as one. */
  folderDeletedWith(row: TrashRow): Location | undefined;
}

/** Sought from the caller's grants, so that its time does not depend on what others deleted. */
function openTrash({ tables, reach }: View, folder: Location | null): Trash {
  const isBelow = (location: Location): boolean =>
    folder === null || (location !== folder && isWithin(folder, location));
  const everywhere = (folder === null || folder === rootLocation) && reach.holds('editor', rootLocation);
  const folders = foldersToEdit();
  const editable = new Set(folders);
  const single = tables.trash
    .ofThese(reach.documentIds)
    .filter(({ id, location }) => isBelow(location) && roleContains(reach.roleOn(id, location), 'editor'))
    .filter(({ location }) => !ancestorsOf(location).some((above) => editable.has(above)))
    .toSorted(comparePlaces);

  /** The topmost folders that the caller may edit, within the one asked about. */
  function foldersToEdit(): Location[] {
    if (everywhere) return [rootLocation];
    if (folder !== null && reach.holds('editor', folder)) return [folder];
    const held = reach.folders.filter((location) => reach.holds('editor', location) && isBelow(location));
    const all = new Set(held);
    return held.filter((location) => !ancestorsOf(location).some((above) => all.has(above)));
  }

  /** Whether an undelete of the folder undoes this deletion. Another one can be later, or undone for a part. */
  function isLastAt(location: Location, moment: number): boolean {
    return findLastDeletion(tables, location).found === moment;
  }

  // A look everywhere reads its rows alone. One below folders sorts all that was deleted there, so it is the only one.
  const rowsOfLook = everywhere ? 201 : 1000;
  return {
    looks: everywhere ? 20 : 1,
    rowsOfLook,
    read(after) {
      const found = everywhere ? tables.trash.all(after, rowsOfLook) : tables.trash.below(folders, after, rowsOfLook);
      if (everywhere || single.length === 0) return found;
      const rest = single.filter((row) => comparePlaces(after, row) < 0);
      return [...found, ...rest].toSorted(comparePlaces).slice(0, rowsOfLook);
    },
    folderDeletedWith({ moment }) {
      const location = tables.trash.folderAt(moment);
      if (location === undefined || !isBelow(location) || !reach.holds('editor', location)) return undefined;
      return isLastAt(location, moment) ? location : undefined;
    },
  };
}

/** From the last deletion to the first. */
function comparePlaces(a: TrashPlace, b: TrashPlace): number {
  return b.moment - a.moment || b.number - a.number;
}

function documentOf(view: View, { id, location, deletedAt, deletedBy, last }: TrashRow): Trashed {
  const document = view.document(location) === undefined ? null : 'document';
  const occupant = document ?? (view.folder(location) === undefined ? null : 'folder');
  const mayErase = roleContains(view.reach.roleOn(id, location), 'approver');
  return {
    location,
    deletedAt,
    deletedBy,
    document: { id, last, mayErase },
    occupant,
    readOnly: isMirrored(view, location),
  };
}

/** Documents of a folder come back into one that is there again. Only a document is in its way. */
function folderOf(view: View, { deletedAt, deletedBy }: TrashRow, location: Location): Trashed {
  const occupant = view.document(location) === undefined ? null : 'document';
  return { location, deletedAt, deletedBy, document: null, occupant, readOnly: isMirrored(view, location) };
}

/** Asked only about places that the caller may edit. */
function isMirrored({ tables }: View, location: Location): boolean {
  return descend(tables, parentOf(location)).folder.mirror !== null;
}
