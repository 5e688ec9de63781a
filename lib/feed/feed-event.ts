import type { Reach } from '../view/reach.js';
import type { Location } from '../domain/location.js';
import { ancestorsOf, compareText, isWithin, rebase } from '../domain/location.js';
import { roleContains } from '../domain/role.js';
import type { FolderRelocation } from '../sidecar/tables/brief-table.js';
import type { MovedFolder } from '../sidecar/tables/feed-table.js';
import type { AccessActivity, DocumentActivity } from '../sidecar/tables/activity-table.js';

/** One event in the order of all, and what it was for the caller. */
export type FeedEvent = {
  /** Names it within the workspace, for the ids of items. */
  readonly key: string;
  /** The moments just before and just after it. */
  readonly moments: { readonly before: number; readonly after: number };
  /** Number of the last activity that is sent with it. */
  readonly activity: number;
  readonly reach: { readonly before: Reach; readonly after: Reach };
} & (
  | { readonly type: 'commit'; readonly folderMove: MovedFolder | undefined }
  | { readonly type: 'access'; readonly row: AccessActivity }
  | { readonly type: 'activity'; readonly row: DocumentActivity }
  | { readonly type: 'listing' }
);

/** What an event may have changed for the caller: places just after it, and documents by their ids. */
export interface Affected {
  readonly places: readonly Location[];
  readonly documentIds: readonly string[];
  /** Whether the caller may have lost something; else only what it reads now matters. */
  readonly isLoss: boolean;
}

export function mayRead(reach: Reach, documentId: string, place: Location): boolean {
  return roleContains(reach.roleOn(documentId, place), 'reader');
}

const unaffected: Affected = { places: [], documentIds: [], isLoss: false };

/**
 * The places in which an event may have changed what the caller reads. The cost follows the reaches, whatever else
 * lies there.
 * @param within only here
 */
export function findAffected(event: FeedEvent, within: Location, present: Reach): Affected {
  const { before, after } = event.reach;
  if (event.type === 'listing')
    return { places: narrow(within, present), documentIds: present.documentIds, isLoss: false };
  if (event.type === 'access') return findChanged(before, after, within, present);
  if (event.type !== 'commit' || event.folderMove === undefined) return unaffected;
  const { from, to } = event.folderMove;
  const isConcerned = [from, to].some((place) => isWithin(within, place) || isWithin(place, within));
  if (!isConcerned) return unaffected;
  const documentIds = [...new Set([...before.documentIds, ...after.documentIds])];
  if (before.holds('reader', from) || after.holds('reader', to)) return { places: [to], documentIds: [], isLoss: true };
  const left = before.foldersBelow(from).map((folder) => rebase(folder, from, to));
  return { places: withoutNested([...left, ...after.foldersBelow(to)]), documentIds, isLoss: true };
}

/** Where two reaches differ. */
function findChanged(before: Reach, after: Reach, within: Location, present: Reach): Affected {
  const lost = missingIn(before.folders, after.folders);
  const gained = missingIn(after.folders, before.folders);
  // A change below what is read either way changes nothing.
  const isChange = (folder: Location): boolean =>
    before.roleAbove(folder) === undefined || after.roleAbove(folder) === undefined;
  const narrowed = (folder: Location): Location[] => {
    if (!isChange(folder)) return [];
    if (isWithin(within, folder)) return [folder];
    return isWithin(folder, within) ? [within] : [];
  };
  const lostPlaces = lost.flatMap(narrowed);
  const gainedPlaces = gained.flatMap(narrowed);
  const lostIds = missingIn(before.documentIds, after.documentIds);
  const gainedIds = missingIn(after.documentIds, before.documentIds);
  const ids = new Set([...lostIds, ...gainedIds]);
  const isLoss = lostPlaces.length > 0 || lostIds.length > 0;
  // Where something was only gained, only what is read now matters, and grants on documents lead to that, too.
  if (gainedPlaces.length > 0) for (const id of present.documentIds) ids.add(id);
  return { places: withoutNested([...lostPlaces, ...gainedPlaces]), documentIds: [...ids], isLoss };
}

function missingIn<Each>(these: readonly Each[], those: readonly Each[]): Each[] {
  const known = new Set(those);
  return these.filter((each) => !known.has(each));
}

/** The parts of a place that the reach holds. */
export function narrow(place: Location, reach: Reach): Location[] {
  return reach.holds('reader', place) ? [place] : withoutNested(reach.foldersBelow(place));
}

/** Without places in others of them; in order. */
export function withoutNested(places: readonly Location[]): Location[] {
  const all = new Set(places);
  return [...all]
    .filter((place) => !ancestorsOf(place).some((folder) => folder !== place && all.has(folder)))
    .toSorted(compareText);
}

/** Where lies now what lay in these places, as far as only folders carried it. @param moves since then, in order */
export function followMoves(places: readonly Location[], moves: readonly FolderRelocation[]): Location[] {
  let roots = [...places];
  for (const { from, to } of moves) {
    const out = roots.some((root) => root !== from && isWithin(root, from)) ? [to] : [];
    roots = [...roots.map((root) => (isWithin(from, root) ? rebase(root, from, to) : root)), ...out];
  }
  return withoutNested(roots);
}
