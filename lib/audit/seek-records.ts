import type { AuditFilter } from '../domain/audit-entry.js';
import { isWithin, type Location } from '../domain/location.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { AuditQueryTable, PlaceFinder, RecordPlace } from '../sidecar/tables/audit-query-table.js';
import type { AuditRow } from '../sidecar/tables/audit-table.js';
import type { Tables } from '../sidecar/tables.js';
import type { AuditBlocks } from './audit-blocks.js';

/** A record without its commitments. */
export type FoundRecord = Omit<AuditRow, 'target' | 'detail'>;

/** The records of a place. */
export interface PlaceQuestion {
  /** Records about these documents, wherever they were then. */
  readonly documentIds: ReadonlySet<string>;
  /** Also those that name this place or one below it, and no known document. */
  readonly within: Location | null;
  /** Whether the letters of people about these documents count. */
  readonly withMessages: boolean;
}

export interface Question {
  readonly filter: AuditFilter;
  readonly place: PlaceQuestion | null;
}

/** Some records, the last first. */
export interface FoundRecords {
  readonly records: readonly FoundRecord[];
  /** The record from which to go on, downwards; 0 at the end. */
  readonly next: number;
}

/** Records looked at for one page of an admin. */
const maxExamined = 30_000;
/** Records looked at, or sought, before others may get their turn. */
const atOnce = 200;

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

/** Whether a record is one of the place. */
export function liesAt(place: PlaceQuestion, { action }: FoundRecord, about: RecordPlace | undefined): boolean {
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
  tables: Pick<Tables, 'auditQueries' | 'audit'>,
  { filter, place }: Question,
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
  let examined = 0;
  for (const row of yield* candidates(tables, { filter, place }, range, blocks)) {
    if (row.seq < range.first) break;
    examined += 1;
    if (examined % atOnce === 0) yield;
    if (passes(filter, row) && (place === null || liesAt(place, row, auditQueries.placeOf(row.seq)))) {
      records.push(row);
      if (records.length > limit) return { records: records.slice(0, limit), next: records[limit]?.seq ?? 0 };
    }
    if (blocks !== null && examined >= maxExamined) return { records, next: row.seq - 1 };
  }
  return { records, next: 0 };
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Records that may fit, the last first. */
function* candidates(
  { auditQueries, audit }: Pick<Tables, 'auditQueries' | 'audit'>,
  { filter, place }: Question,
  range: Range,
  blocks: AuditBlocks | null,
): Steps<Iterable<FoundRecord>> {
  const toRows = function* (seqs: Iterable<number>): Generator<FoundRecord> {
    for (const seq of seqs) {
      const row = audit.find(seq);
      // A record whose text is still there can be in an archive.
      if (row === undefined) return;
      yield row;
    }
  };
  const { requestId } = filter;
  if (requestId !== undefined && blocks !== null) {
    const found = yield* blocks.ofRequest(auditQueries, audit.head()?.seq ?? 0, requestId);
    return toRows(found.filter((seq) => seq <= range.last));
  }
  if (place !== null) {
    const finder = auditQueries.atPlaces(filter.outcome === 'refused');
    return toRows(mergeHeads(yield* toHeap(yield* headsOf(finder, place, range.last))));
  }
  const seeks = seeksOf(auditQueries, filter);
  return seeks.length === 0 ? readAll(auditQueries, range) : toRows(intersect(seeks, range));
}

/** Finds the last record of one key, up to a number. */
type Seek = (upTo: number) => number | undefined;

/** With a principal, each of them finds records of this principal alone: what others did costs nothing. */
function seeksOf(table: AuditQueryTable, { principal, action, outcome }: AuditFilter): Seek[] {
  const rare = action !== undefined && table.isRare(action) ? action : undefined;
  const seeks: Seek[] = [];
  if (principal === undefined) {
    if (rare !== undefined) seeks.push((upTo) => table.lastOfAction(rare, upTo));
    if (outcome === 'refused') seeks.push((upTo) => table.lastRefused(upTo));
    return seeks;
  }
  if (rare !== undefined) seeks.push((upTo) => table.lastOfPrincipalAndAction(principal, rare, upTo));
  if (outcome === 'refused') seeks.push((upTo) => table.lastRefusedOf(principal, upTo));
  return seeks.length > 0 ? seeks : [(upTo) => table.lastOfPrincipal(principal, upTo)];
}

/**
 * Records that each key may have: all keys in turn jump down to where the others are. Not every one has all keys, so
 * they are compared afterwards.
 */
function* intersect(seeks: readonly Seek[], { first, last }: Range): Generator<number> {
  for (let at = last; at >= first; at -= 1) {
    for (const seek of seeks) {
      const found = seek(at);
      if (found === undefined) return;
      at = found;
    }
    yield at;
  }
}

function* readAll(table: AuditQueryTable, { first, last }: Range): Generator<FoundRecord> {
  for (let at = last; at >= first;) {
    const rows = table.upTo(at, atOnce);
    yield* rows;
    at = (rows.at(-1)?.seq ?? 0) - 1;
  }
}

/** The last record of one document or target, and the way to the one before. */
interface Head {
  readonly seq: number;
  readonly seek: Seek;
}

function* headsOf(table: PlaceFinder, { documentIds, within }: PlaceQuestion, upTo: number): Steps<Head[]> {
  const heads: Head[] = [];
  const ids = [...documentIds];
  for (let start = 0; start < ids.length; start += atOnce) {
    for (const { key, seq } of table.lastAboutThese(ids.slice(start, start + atOnce), upTo)) {
      heads.push({ seq, seek: (last) => table.lastAbout(key, last) });
    }
    yield;
  }
  if (within === null) return heads;
  // '0' is the character after '/': the range holds exactly the targets that start with `within/`.
  const targets = [within, ...(yield* targetsBetween(table, `${within}/`, `${within}0`))];
  for (const [index, target] of targets.entries()) {
    const seq = table.lastNaming(target, upTo);
    if (seq !== undefined) heads.push({ seq, seek: (last) => table.lastNaming(target, last) });
    if (index % atOnce === 0) yield;
  }
  return heads;
}

function* targetsBetween(table: PlaceFinder, from: string, to: string): Steps<string[]> {
  const targets: string[] = [];
  for (let at = table.nextTarget(from, to); at !== undefined; at = table.nextTarget(at, to)) {
    targets.push(at);
    if (targets.length % atOnce === 0) yield;
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

/** All their records, the last first: the head taken is replaced by the one before it. */
function* mergeHeads(heap: Head[]): Generator<number> {
  for (let top = heap[0]; top !== undefined; top = heap[0]) {
    yield top.seq;
    const seq = top.seek(top.seq - 1);
    const last = heap.length - 1;
    if (seq !== undefined) heap[0] = { seq, seek: top.seek };
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
