import type { Location } from '../domain/location.js';
import { isWithin, segmentsOf } from '../domain/location.js';
import { conflict, invalidRequest, notFound, type Refusal } from '../domain/refusal.js';
import type { Tables } from '../sidecar/tables.js';
import { descentAbove, locationOfFolder, walkPath, type PathStep } from '../view/locate.js';
import type { WriteContext } from './write-context.js';

/** The state that a write meets, or would meet. */
export type Standing = Pick<WriteContext, 'view' | 'reach' | 'policy'> & {
  readonly transaction: Pick<WriteContext['transaction'], 'tables'>;
};

/** @param what the occupant, as the subject of a sentence */
export function nameTaken(location: Location, what: string): Refusal {
  return conflict('name_taken', `${what} lives at "${location}" already. Choose another name, or change that one.`, {
    location,
  });
}

/**
 * A taken name is a CONFLICT only for callers who can see the occupant. Others get the refusal of a caller without the
 * right to write here.
 */
function taken(isVisible: boolean, location: Location, what: string): Refusal {
  return isVisible ? nameTaken(location, what) : notFound();
}

/** Documents that leave their places by the same change, so they block no other document. */
export interface Leaving {
  readonly ids: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number>;
  /** What was found of folders, for a change that asks for each of many places. All leaving is known then. */
  readonly staying?: Map<number, boolean>;
  /** Number of a folder that leaves with all that it holds. */
  readonly folder?: number;
}

export const noneLeaving: Leaving = { ids: new Set(), numbers: new Set() };

/**
 * Requires that something new may live at the location. Nothing may have the name, and no document may stand in the
 * place of a folder above it.
 * @param steps what the names of the location stand for. Left out: they are looked up
 * @returns the same
 * @throws Refusal CONFLICT `name_taken`, or NOT_FOUND where the caller cannot see the obstacle
 */
export function requireFree(
  context: Standing,
  location: Location,
  leaving = noneLeaving,
  steps: readonly PathStep[] = walkPath(context.transaction.tables, location),
): readonly PathStep[] {
  const { tables } = context.transaction;
  const taking = steps.findIndex(({ documentId }) => documentId !== undefined && !leaving.ids.has(documentId));
  if (taking >= 0) {
    const there = segmentsOf(location)
      .slice(0, taking + 1)
      .join('/') as Location;
    throw taken(context.view.document(there) !== undefined, there, 'A document');
  }
  const folder = steps.at(-1)?.child;
  if (folder === undefined || !isStaying(tables, { number: folder.number, location }, leaving)) return steps;
  throw taken(context.view.folder(location) !== undefined, location, 'A folder');
}

/** Whether the folder is still there when the documents have left. An empty one goes, unless it was made to stay. */
export function isStaying(
  tables: Tables,
  { number, location }: { readonly number: number; readonly location: Location },
  leaving: Leaving,
): boolean {
  if (leaving.numbers.size === 0) return true;
  const known = leaving.staying?.get(number);
  if (known !== undefined) return known;
  const stays =
    tables.folders.holdsKept(number) ||
    tables.deletions
      .documentsBelow(number, location, leaving.numbers.size + 1)
      .some((document) => !leaving.numbers.has(document.number));
  leaving.staying?.set(number, stays);
  return stays;
}

/**
 * Requires that a new document may live at the location.
 * @returns what the names of the location stand for
 * @throws Refusal as `requireFree` and `requireNoFolderGrant` do; INVALID_REQUEST `read_only_source`
 */
export function requirePlace(context: Standing, location: Location, leaving = noneLeaving): readonly PathStep[] {
  const steps = requireFree(context, location, leaving);
  requireNoFolderGrant(context, location);
  requireWritable(context.transaction.tables, descentAbove(location, steps).folder.mirror);
  return steps;
}

/**
 * Requires that the location can be a document's: no folder grant waits for a folder there or below.
 * @throws Refusal CONFLICT `name_taken`, or NOT_FOUND where the caller could not write in such a folder
 */
export function requireNoFolderGrant({ transaction, reach }: Standing, location: Location): void {
  if (transaction.tables.grants.atOrBelow(location).length === 0) return;
  throw taken(reach.holds('editor', location), location, 'A folder with grants');
}

/**
 * The caller can read at the place, so it learns which connector mirrors there.
 * @param mirror id of the connector that mirrors into the folder, or null
 * @throws Refusal INVALID_REQUEST `read_only_source` where a connector mirrors: a retry cannot help
 */
export function requireWritable(tables: Tables, mirror: string | null): void {
  if (mirror === null) return;
  const { displayName } = tables.principals.find(mirror) ?? {};
  const { kind } = tables.connectors.byId(mirror) ?? {};
  const source = displayName === undefined ? 'an outside source' : `the source of the connector "${displayName}"`;
  throw invalidRequest('read_only_source', `This folder mirrors ${source} and is read-only here. Change it there.`, {
    connector: { id: mirror, kind, displayName },
  });
}

/** A mirror stays where its connector put it: no folder above it may be moved or deleted. */
export function requireNoMirrorBelow({ transaction }: WriteContext, folder: Location): void {
  const { tables } = transaction;
  for (const row of tables.folders.mirrored()) {
    if (isWithin(folder, locationOfFolder(tables, row.number))) requireWritable(tables, row.mirror);
  }
}
