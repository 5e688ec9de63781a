import { ancestorsOf, isWithin, parentOf, rebase, type Location } from '../domain/location.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { Tables } from '../sidecar/tables.js';

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

/**
 * Where everything was that lies in a folder now, by the moves of folders: of the folder itself, of those above it, and
 * of those that came into it. The present place is not among them.
 */
export function* pastOfFolder(tables: HistoryTables, folder: Location): Steps<CarriedFolder[]> {
  const spans: CarriedFolder[] = [];
  const seen = new Set<string>();
  const open = [{ at: folder, until: now, present: folder }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, until, present } = next;
    if (seen.has(`${until} ${at}`)) continue;
    seen.add(`${until} ${at}`);
    const carried = lastCarried(tables, [...ancestorsOf(at), at], until);
    const since = carried?.moment ?? 0;
    if (until !== now) spans.push({ folder: at, since, until, present });
    for (const { from, to, moment } of tables.auditExtents.foldersMovedBelow(at, since, until)) {
      open.push({ at: from, until: moment, present: rebase(to, at, present) });
    }
    if (carried !== undefined) {
      open.push({ at: rebase(at, carried.to, carried.from), until: carried.moment, present });
    }
    yield;
  }
  return spans;
}

/**
 * In which folders a document was, the last first, by its own moves and those of folders above it. The place of a deleted
 * document is its last one.
 * @param place where it is, or was deleted
 */
export function* pastOfDocument(tables: HistoryTables, document: number, place: Location): Generator<PastFolder> {
  const { auditExtents, history } = tables;
  let [at, until] = [place, now];
  const deleted = auditExtents.isDeleted(document) ? history.deletionBefore(document, now)?.moment : undefined;
  const ends = [
    ...auditExtents.movesOf(document).map(({ moment, from }) => ({ moment, from: from as Location | null })),
    { moment: auditExtents.createdAt(document), from: null },
  ];
  for (const { moment, from } of ends) {
    for (
      let carried = lastCarried(tables, ancestorsOf(at), until);
      carried !== undefined && carried.moment > moment;
      carried = lastCarried(tables, ancestorsOf(at), until)
    ) {
      yield { folder: parentOf(at), since: carried.moment, until, deleted };
      [at, until] = [rebase(at, carried.to, carried.from), carried.moment];
    }
    yield { folder: parentOf(at), since: moment, until, deleted };
    if (from === null) return;
    [at, until] = [from, moment];
  }
}

/** Where those of the documents were that were moved themselves, each folder once for the same moments. */
export function* pastOfMoved(
  tables: HistoryTables,
  documents: readonly number[],
  placeOf: (document: number) => Location | undefined,
): Steps<PastFolder[]> {
  const spans = new Map<string, PastFolder>();
  for (let start = 0; start < documents.length; start += atOnce) {
    for (const document of tables.auditExtents.movedOf(documents.slice(start, start + atOnce))) {
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
