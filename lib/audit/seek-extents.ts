import { ancestorsOf, isWithin, type Location } from '../domain/location.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { Tables } from '../sidecar/tables.js';
import type { FolderMoves } from './folder-moves.js';
import { held, type CarriedFolder, type GivenFolder, type PastFolder } from './past-places.js';

/** The records that gave out or changed something of a place, where that is more than their target (decision 0260). */
export interface ExtentQuestion {
  /** Numbers of the documents that are asked about. */
  readonly documents: ReadonlySet<number>;
  /** The folder that is asked about, at any time; null for documents alone. */
  readonly folder: Location | null;
  /** Where everything in the folder was before. */
  readonly carried: readonly CarriedFolder[];
  /** Null where no folder ever came into the folder. */
  readonly moves: FolderMoves | null;
  /** Where documents were that were moved themselves; of documents alone, where they are, too. */
  readonly past: readonly PastFolder[];
  /** Whether there is a folder, or something was deleted in it. */
  isThere(this: void, tables: Tables, folder: Location): boolean;
}

/** Finds the last record of one key, up to a number; an empty list where there is none. */
type Seek = (upTo: number) => readonly number[];

export interface ExtentHead {
  readonly seq: number;
  readonly seek: Seek;
}

/** Documents sought before others may get their turn. */
const atOnce = 200;
/** It gives what lies in a folder, without history. */
const exportAction = 'folder.export';
const everSince = 0;
const always = Number.MAX_SAFE_INTEGER;

/** Whether a record gave out or changed something of what is asked about. */
export function extendsTo(
  tables: Tables,
  question: ExtentQuestion,
  { seq, action }: { readonly seq: number; readonly action: string },
): boolean {
  const { places, touched } = tables.auditExtents.of(seq);
  if (touched.some((document) => question.documents.has(document))) return true;
  if (places === null) return false;
  const { folders, documents } = tables.auditExtents.readSet(places.set);
  if (documents.some((document) => question.documents.has(document))) return true;
  const given = { moment: places.moment, isPresentOnly: action === exportAction };
  return folders.some((folder) => hasHeld(tables, question, { ...given, folder }));
}

function hasHeld(tables: Tables, question: ExtentQuestion, given: GivenFolder): boolean {
  const { folder, carried, moves, past, isThere } = question;
  if (folder !== null && (isWithin(given.folder, folder) || isWithin(folder, given.folder))) return true;
  if (past.some((span) => held(given, span)) || carried.some((span) => held(given, span))) return true;
  if (folder === null || moves === null) return false;
  // A folder that is in the one asked about now: it came by itself, or along with one that it was in.
  const present = moves.follow(given.folder, given.moment);
  return isWithin(folder, present) && isThere(tables, present);
}

/** The last of these records of each key. Some of them can be of no such place: `extendsTo` decides. */
export function* headsOfExtents(tables: Tables, question: ExtentQuestion, upTo: number): Steps<ExtentHead[]> {
  const { auditExtents } = tables;
  const heads: ExtentHead[] = [];
  const sought = new Set<string>();
  const add = (set: number, since: number, until: number): void => {
    if (sought.has(`${set} ${since} ${until}`)) return;
    sought.add(`${set} ${since} ${until}`);
    const first = since === everSince ? 0 : auditExtents.firstUseSince(since);
    if (first === undefined) return;
    const end = until === always ? undefined : auditExtents.firstUseSince(until);
    const seek = (last: number): number[] => {
      const found = auditExtents.lastUse(set, Math.min(last, (end ?? always) - 1));
      return found === undefined || found < first ? [] : [found];
    };
    const [seq] = seek(upTo);
    if (seq !== undefined) heads.push({ seq, seek });
  };
  function* addFolder(folder: Location, withBelow: boolean, since: number, until: number): Steps<void> {
    for (const place of [...ancestorsOf(folder), folder]) {
      for (const set of auditExtents.setsOfFolder(place)) add(set, since, until);
    }
    if (withBelow) for (const set of auditExtents.setsBelow(folder)) add(set, since, until);
    yield;
  }
  const { documents, folder, carried, past } = question;
  if (folder !== null) yield* addFolder(folder, true, everSince, always);
  for (const span of carried) yield* addFolder(span.folder, true, span.since, span.until);
  for (const span of past) yield* addFolder(span.folder, false, span.since, span.until);
  const numbers = [...documents];
  for (let start = 0; start < numbers.length; start += atOnce) {
    const some = numbers.slice(start, start + atOnce);
    for (const set of auditExtents.setsOfDocuments(some)) add(set, everSince, always);
    for (const { document, seq } of auditExtents.lastTouchingThese(some, upTo)) {
      heads.push({ seq, seek: (last) => listOf(auditExtents.lastTouching(document, last)) });
    }
    yield;
  }
  return heads;
}

const listOf = (found: number | undefined): number[] => (found === undefined ? [] : [found]);
