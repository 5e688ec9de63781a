import type { AuditFilter } from '../domain/audit-entry.js';
import { isWithin, type Location } from '../domain/location.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { AuditQueryTable, FoundRecord, PlaceFinder, RecordPlace } from '../sidecar/tables/audit-query-table.js';
import type { Tables } from '../sidecar/tables.js';
import type { AuditBlocks } from './audit-blocks.js';
import { extendsTo, headsOfExtents, type ExtentQuestion } from './seek-extents.js';

export type { FoundRecord } from '../sidecar/tables/audit-query-table.js';

/** The records of a place. */
export interface PlaceQuestion {
  /** Records about these documents, wherever they were then. */
  readonly documentIds: ReadonlySet<string>;
  /** Also those that name this place or one below it, and no known document. */
  readonly within: Location | null;
  /** Whether the letters of people about these documents count. */
  readonly withMessages: boolean;
  /** Also those that gave out or changed something of it among other things. */
  readonly extent: ExtentQuestion;
}

export interface Question {
  readonly filter: AuditFilter;
  readonly place: PlaceQuestion | null;
  /** Only records whose text names this place or one below it. For questions that seek their records by another key. */
  readonly naming?: Location | undefined;
}

/** Some records, the last first. */
export interface FoundRecords {
  readonly records: readonly FoundRecord[];
  /** The record from which to go on, downwards; 0 at the end. */
  readonly next: number;
}

/** Records looked at for one page of an admin, where they lie next to each other and where they are sought. */
const maxExamined = { adjacent: 30_000, sought: 8000 };
/** Records sought, and looked at next to each other, before others may get their turn. */
const atOnce = 200;
const adjacentAtOnce = 1000;

/** What a target of these actions is, where it is no place, starts with another noun. */
const placeNouns: ReadonlySet<string> = new Set(
  'brief claim comment connector document feed folder grant item location reader sharing trash webhook'.split(' '),
);

/** Whether the targets of an action are places. Those of searches are queries. */
export function isAboutPlaces(action: string): boolean {
  return action === 'audit.list' || (action !== 'document.search' && placeNouns.has(action.split('.', 1)[0] ?? ''));
}

export function passes(filter: AuditFilter, row: FoundRecord): boolean {
  const { principal, credential, action, outcome, requestId, from, to } = filter;
  return (
    (principal === undefined || row.principal === principal) &&
    (credential === undefined || row.credential === credential) &&
    (action === undefined || row.action === action) &&
    (outcome === undefined || outcome === (row.code === null ? 'done' : 'refused')) &&
    (requestId === undefined || row.request_id === requestId) &&
    (from === undefined || row.at >= from) &&
    (to === undefined || row.at <= to)
  );
}

/** Whether a record is one of the place, by what it is about or by what it gave out and changed. */
export function liesAt(
  tables: Tables,
  place: PlaceQuestion,
  row: Pick<FoundRecord, 'seq' | 'action' | 'code'>,
  about: RecordPlace | undefined,
): boolean {
  // A refusal gave nothing out.
  return isAboutPlace(place, row, about) || (row.code === null && extendsTo(tables, place.extent, row));
}

/** Whether a record is about the place, and no other. */
export function isAboutPlace(
  place: PlaceQuestion,
  { action }: Pick<FoundRecord, 'action'>,
  about: RecordPlace | undefined,
): boolean {
  if (about === undefined || (!place.withMessages && action.startsWith('message.'))) return false;
  if (about.documentId !== null) return place.documentIds.has(about.documentId);
  const { within } = place;
  return (
    within !== null && about.target !== null && isAboutPlaces(action) && isWithin(within, about.target as Location)
  );
}

/**
 * Records that are rows, the last first: sought by the most selective keys of the question, so that others cost nothing.
 * For admins it looks at so many records at most. Then the page ends, and the next one goes on there. Other pages are
 * full or the last, because a short one would count records that are hidden.
 * @param upTo the first one looked at, downwards
 * @param above those at or below it are left out
 * @param blocks null for those who are not admins: the time must not depend on records outside of the question
 */
export function* findRecords(
  tables: Tables,
  { filter, place, naming }: Question,
  { upTo, above, limit }: { readonly upTo: number; readonly above: number; readonly limit: number },
  blocks: AuditBlocks | null,
): Steps<FoundRecords> {
  const { auditQueries, audit } = tables;
  const range = { first: above + 1, last: upTo };
  if (blocks !== null && (filter.from !== undefined || filter.to !== undefined)) {
    const { from = Number.NEGATIVE_INFINITY, to = Number.MAX_SAFE_INTEGER } = filter;
    const newest = audit.head()?.seq ?? 0;
    const within = yield* blocks.rangeOf(auditQueries, newest, from, to);
    range.first = Math.max(range.first, within.first);
    range.last = Math.min(range.last, within.last);
  }
  const records: FoundRecord[] = [];
  const source = yield* openSource(tables, { filter, place, naming }, range, blocks);
  let left = Number.POSITIVE_INFINITY;
  if (blocks !== null) left = source.isAdjacent ? maxExamined.adjacent : maxExamined.sought;
  for (let wanted = limit + 1; ; wanted *= 2) {
    const batch = source.take(Math.min(wanted, left));
    for (const row of batch.rows) {
      if (place !== null && !liesAt(tables, place, row, row)) continue;
      if (records.length === limit) return { records, next: row.seq };
      const { target: _, documentId: __, ...record } = row;
      records.push(record);
    }
    if (batch.end < range.first) return { records, next: 0 };
    left -= batch.examined;
    if (left <= 0) return { records, next: batch.end };
    yield;
  }
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Some records that pass, the last first. */
interface Batch {
  readonly rows: readonly (FoundRecord & RecordPlace)[];
  readonly examined: number;
  /** The record from which to go on, downwards; below the range at its end. */
  readonly end: number;
}

/** Where the records of a question come from, the last first. */
interface Source {
  /** Whether it reads all records of the range, next to each other. */
  readonly isAdjacent: boolean;
  /** Looks at so many records, or at fewer. */
  take(wanted: number): Batch;
}

/** Gives so many numbers of records that may fit, downwards. Fewer at the end alone. */
type Seqs = (count: number) => readonly number[];

function* openSource(tables: Tables, question: Question, range: Range, blocks: AuditBlocks | null): Steps<Source> {
  const { filter, place } = question;
  const { auditQueries, audit } = tables;
  const { requestId } = filter;
  if (requestId !== undefined && blocks !== null) {
    const found = yield* blocks.ofRequest(auditQueries, audit.head()?.seq ?? 0, requestId);
    return seekEach(
      auditQueries,
      question,
      range,
      takeFrom(found.filter((seq) => seq <= range.last)[Symbol.iterator]()),
    );
  }
  if (place !== null) {
    const finder = auditQueries.atPlaces(filter.outcome === 'refused');
    const heads = yield* headsOf(finder, place, range.last);
    if (filter.outcome !== 'refused') {
      for (const head of yield* headsOfExtents(tables, place.extent, range.last)) heads.push({ ...head, ahead: [] });
    }
    const heap = yield* toHeap(heads);
    return seekEach(auditQueries, question, range, takeFrom(mergeHeads(heap)));
  }
  const [first, ...others] = seeksOf(auditQueries, filter);
  if (first === undefined) {
    return readAll(auditQueries, filter, { ...range, last: Math.min(range.last, audit.head()?.seq ?? 0) });
  }
  if (others.length > 0) return seekEach(auditQueries, question, range, takeFrom(intersect([first, ...others], range)));
  let upTo = range.last;
  return seekEach(auditQueries, question, range, (count) => {
    const found = first(upTo, count);
    upTo = (found.at(-1) ?? 0) - 1;
    return found;
  });
}

function takeFrom(all: Iterator<number>): Seqs {
  return (count) => {
    const taken: number[] = [];
    while (taken.length < count) {
      const next = all.next();
      if (next.done === true) break;
      taken.push(next.value);
    }
    return taken;
  };
}

function seekEach(table: AuditQueryTable, { filter, naming }: Question, { first }: Range, seqs: Seqs): Source {
  return {
    isAdjacent: false,
    take(wanted) {
      const count = Math.min(wanted, atOnce);
      const taken = seqs(count);
      const end = taken.length < count ? 0 : (taken.at(-1) ?? 0) - 1;
      // A record whose text is still there can be in an archive.
      const rows = table.among(
        taken.filter((seq) => seq >= first),
        filter,
        naming,
      );
      return { rows, examined: taken.length, end };
    },
  };
}

function readAll(table: AuditQueryTable, filter: AuditFilter, { first, last }: Range): Source {
  let at = last;
  return {
    isAdjacent: true,
    take(wanted) {
      const from = Math.max(first, at - Math.min(wanted, adjacentAtOnce) + 1);
      const examined = at - from + 1;
      const found = table.between(from, at, filter, adjacentAtOnce);
      at = from - 1;
      return { rows: found.map((row) => ({ ...row, target: null, documentId: null })), examined, end: at };
    },
  };
}

/** Finds the last records of one key, up to a number. */
type Seek = (upTo: number, limit: number) => readonly number[];

/** With a principal, each of them finds records of this principal alone: what others did costs nothing. */
function seeksOf(table: AuditQueryTable, { principal, action, outcome }: AuditFilter): Seek[] {
  const rare = action !== undefined && table.isRare(action) ? action : undefined;
  const seeks: Seek[] = [];
  if (principal === undefined) {
    if (rare !== undefined) seeks.push((upTo, limit) => table.ofAction(rare, upTo, limit));
    if (outcome === 'refused') seeks.push((upTo, limit) => table.refused(upTo, limit));
    return seeks;
  }
  if (rare !== undefined) seeks.push((upTo, limit) => table.ofPrincipalAndAction(principal, rare, upTo, limit));
  if (outcome === 'refused') seeks.push((upTo, limit) => table.refusedOf(principal, upTo, limit));
  return seeks.length > 0 ? seeks : [(upTo, limit) => table.ofPrincipal(principal, upTo, limit)];
}

/**
 * Records that each key may have: all keys in turn jump down to where the others are. Not every one has all keys, so
 * they are compared afterwards.
 */
function* intersect(seeks: readonly Seek[], { first, last }: Range): Generator<number> {
  for (let at = last; at >= first; at -= 1) {
    for (const seek of seeks) {
      const [found] = seek(at, 1);
      if (found === undefined) return;
      at = found;
    }
    yield at;
  }
}

/** How many records of one document or target are sought at once, after the first. */
const aheadOfHead = 32;

/** The last record of one document or target, and the way to those before. */
interface Head {
  readonly seq: number;
  readonly seek: Seek;
  /** Those before it that are known, the next one at the end. */
  readonly ahead: number[];
}

function* headsOf(table: PlaceFinder, { documentIds, within }: PlaceQuestion, upTo: number): Steps<Head[]> {
  const heads: Head[] = [];
  const ids = [...documentIds];
  for (let start = 0; start < ids.length; start += atOnce) {
    for (const { key, seq } of table.lastAboutThese(ids.slice(start, start + atOnce), upTo)) {
      heads.push({ seq, seek: (last, limit) => table.about(key, last, limit), ahead: [] });
    }
    yield;
  }
  if (within === null) return heads;
  // '0' is the character after '/': the range holds exactly the targets that start with `within/`.
  const targets = [within, ...(yield* targetsBetween(table, `${within}/`, `${within}0`))];
  for (const target of targets) {
    const seek: Seek = (last, limit) => table.naming(target, last, limit);
    const [seq] = seek(upTo, 1);
    if (seq !== undefined) heads.push({ seq, seek, ahead: [] });
    yield;
  }
  return heads;
}

function* targetsBetween(table: PlaceFinder, from: string, to: string): Steps<string[]> {
  const targets: string[] = [];
  for (let at = table.nextTarget(from, to); at !== undefined; at = table.nextTarget(at, to)) {
    targets.push(at);
    yield;
  }
  return targets;
}

/** The same heads as a heap, with the last record first. */
function* toHeap(heads: Head[]): Steps<Head[]> {
  for (let at = heads.length >> 1; at >= 0; at -= 1) {
    sink(heads, at);
    if (at % atOnce === 0) yield;
  }
  return heads;
}

/** All their records, each once, the last first: the head taken is replaced by the one before it. */
function* mergeHeads(heap: Head[]): Generator<number> {
  let before: number | undefined;
  for (let top = heap[0]; top !== undefined; top = heap[0]) {
    if (top.seq !== before) yield top.seq;
    before = top.seq;
    const { seek } = top;
    const ahead = top.ahead.length > 0 ? top.ahead : seek(top.seq - 1, aheadOfHead).toReversed();
    const seq = ahead.pop();
    const last = heap.length - 1;
    if (seq !== undefined) heap[0] = { seq, seek, ahead };
    else {
      const moved = heap.pop();
      if (last === 0 || moved === undefined) continue;
      heap[0] = moved;
    }
    sink(heap, 0);
  }
}

function sink(heap: Head[], from: number): void {
  const top = heap[from];
  if (top === undefined) return;
  let at = from;
  for (;;) {
    let largest = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      const other = heap[child];
      const best = largest === at ? top : heap[largest];
      if (other !== undefined && best !== undefined && other.seq > best.seq) largest = child;
    }
    const other = heap[largest];
    if (largest === at || other === undefined) break;
    heap[at] = other;
    at = largest;
  }
  heap[at] = top;
}
