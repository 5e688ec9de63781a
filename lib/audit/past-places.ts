import { ancestorsOf, isWithin, parentOf, rebase, type Location } from '../domain/location.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { FolderMove } from '../sidecar/tables/audit-extent-table.js';
import type { Tables } from '../sidecar/tables.js';
import { readFolderMoves, type FolderMoves } from './folder-moves.js';

/** A folder in which what is asked about was, from one moment on until before another. */
export interface PastFolder {
  readonly folder: Location;
  /** Moment of the commit that brought it there; 0 for the beginning. */
  readonly since: number;
  /** Moment of the commit that took it away; `Number.MAX_SAFE_INTEGER` where it still is. */
  readonly until: number;
  /** Moment of the deletion of a document that is deleted. What was given out later can hold its history, and no more. */
  readonly deleted?: number | undefined;
}

/** A folder whose content, as far as it was moved with it, lies in another one now. */
export interface CarriedFolder extends PastFolder {
  readonly present: Location;
}

type HistoryTables = Pick<Tables, 'auditExtents' | 'history'>;

const now = Number.MAX_SAFE_INTEGER;
/** Rows read before others get their turn. */
const atOnce = 200;

/** Where everything was that lies in a folder now, as far as folders were moved with it. */
export interface PastOfFolder {
  readonly carried: readonly CarriedFolder[];
  /** Null where no folder ever came into it. */
  readonly moves: FolderMoves | null;
}

/**
 * Where everything was that lies in a folder now, by the moves of folders: of the folder itself, of those above it, and
 * of those that came into it and are still in it. The present place is not among them.
 */
export function* pastOfFolder(tables: HistoryTables, folder: Location): Steps<PastOfFolder> {
  const cameItself = lastCarried(tables, [...ancestorsOf(folder), folder], now) !== undefined;
  if (
    !cameItself &&
    tables.auditExtents.foldersMovedBelow(folder, { since: 0, until: now }, undefined, 1).length === 0
  ) {
    return { carried: [], moves: null };
  }
  const moves = yield* readFolderMoves(tables);
  const spans: CarriedFolder[] = [];
  const seen = new Set<string>();
  const open = [{ at: folder, until: now, present: folder }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, until, present } = next;
    if (seen.has(`${until} ${at}`)) continue;
    seen.add(`${until} ${at}`);
    const carried = lastCarried(tables, [...ancestorsOf(at), at], until);
    // What had this name until then is another folder.
    const left = moves.lastFrom(at, until);
    const since = Math.max(carried?.moment ?? 0, left);
    if (until !== now) spans.push({ folder: at, since, until, present });
    let came: FolderMove[] = [];
    do {
      came = tables.auditExtents.foldersMovedBelow(at, { since, until }, came.at(-1), atOnce);
      for (const { from, to, moment } of came) {
        const here = moves.follow(to, moment);
        if (isWithin(folder, here)) open.push({ at: from, until: moment, present: here });
      }
      yield;
    } while (came.length === atOnce);
    if (carried !== undefined && carried.moment > left) {
      open.push({ at: rebase(at, carried.to, carried.from), until: carried.moment, present });
    }
  }
  return { carried: spans, moves };
}

/**
 * In which folders a document was, the last first, by its own moves and those of folders above it. The place of a deleted
 * document is its last one.
 * @param place where it is, or was deleted
 */
export function* pastOfDocument(tables: HistoryTables, document: number, place: Location): Generator<PastFolder> {
  const { auditExtents, history } = tables;
  const deleted = auditExtents.isDeleted(document) ? history.deletionBefore(document, now)?.moment : undefined;
  let [at, until] = [place, now];
  // A folder that came after the deletion did not bring it.
  let before = deleted ?? now;
  const ends = [
    ...auditExtents.movesOf(document).map(({ moment, from }) => ({ moment, from: from as Location | null })),
    { moment: auditExtents.createdAt(document), from: null },
  ];
  for (const { moment, from } of ends) {
    for (
      let carried = lastCarried(tables, ancestorsOf(at), before);
      carried !== undefined && carried.moment > moment;
      carried = lastCarried(tables, ancestorsOf(at), before)
    ) {
      yield { folder: parentOf(at), since: carried.moment, until, deleted };
      [at, until, before] = [rebase(at, carried.to, carried.from), carried.moment, carried.moment];
    }
    yield { folder: parentOf(at), since: moment, until, deleted };
    if (from === null) return;
    [at, until, before] = [from, moment, moment];
  }
}

/**
 * Where those of the documents were that were moved themselves, each folder once for the same moments.
 * @param others documents that are looked at, too
 */
export function* pastOfMoved(
  tables: HistoryTables,
  documents: readonly number[],
  others: ReadonlySet<number>,
  placeOf: (document: number) => Location | undefined,
): Steps<PastFolder[]> {
  const spans = new Map<string, PastFolder>();
  for (let start = 0; start < documents.length; start += atOnce) {
    const some = documents.slice(start, start + atOnce);
    for (const document of new Set([
      ...tables.auditExtents.movedOf(some),
      ...some.filter((each) => others.has(each)),
    ])) {
      const place = placeOf(document);
      if (place === undefined) continue;
      for (const span of pastOfDocument(tables, document, place)) {
        if (span.until !== now) spans.set(`${span.since} ${span.until} ${span.folder}`, span);
      }
      yield;
    }
    yield;
  }
  return [...spans.values()];
}

/**
 * Those of the deleted documents whose folder was moved after the deletion, or whose place got another folder. What
 * lies at their place now came another way.
 */
export function* leftBehind(
  tables: HistoryTables,
  moves: FolderMoves,
  deleted: readonly { readonly number: number; readonly location: string }[],
): Steps<number[]> {
  const lastMoves = new Map<Location, number>();
  const found: number[] = [];
  for (const { number, location } of deleted) {
    const folder = parentOf(location as Location);
    let last = lastMoves.get(folder);
    if (last === undefined) {
      const carried = lastCarried(tables, [...ancestorsOf(folder), folder], now)?.moment ?? 0;
      lastMoves.set(folder, (last = Math.max(carried, moves.lastFrom(folder, now))));
    }
    if (last > 0 && (tables.history.deletionBefore(number, now)?.moment ?? now) < last) found.push(number);
    yield;
  }
  return found;
}

/** The last move, before the moment, of a folder to one of these places. */
function lastCarried({ history }: HistoryTables, places: readonly Location[], before: number) {
  return places
    .map((place) => history.folderRelocationBefore(place, before))
    .reduce((last, each) => ((each?.moment ?? -1) > (last?.moment ?? -1) ? each : last), undefined);
}

/** A folder with everything in it, at a moment. */
export interface GivenFolder {
  readonly folder: Location;
  readonly moment: number;
  /** Whether it was what lay there then, without its history. */
  readonly isPresentOnly: boolean;
}

/** Whether a folder that was given out held something of the past folder. */
export function held({ folder, moment, isPresentOnly }: GivenFolder, past: PastFolder): boolean {
  if (isPresentOnly && past.deleted !== undefined && moment >= past.deleted) return false;
  return past.since <= moment && moment < past.until && isWithin(folder, past.folder);
}
