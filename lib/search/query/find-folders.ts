import {
  ancestorsOf,
  compareText,
  isWithin,
  nameOf,
  rebase,
  rootLocation,
  type Location,
} from '../../domain/location.js';
import type { Languages } from '../languages/languages.js';
import { joinRanges, type Intervals } from '../reachable.js';
import type { ReachedSegment } from '../segments/cut-postings.js';
import { isUnmoved, runsBetween, type RenamedRange } from '../segments/renamed-range.js';
import type { SegmentReader } from '../segments/segment-reader.js';
import {
  countWords,
  depthOf,
  termsOfName,
  writtenFoldersOf,
  type WrittenFolders,
} from '../segments/written-folders.js';
import type { FolderFilter, FolderWord } from './read-folder-filters.js';

/** How near a folder's name is to the one that is sought: its words, and then its distance from the root. */
interface Nearness {
  readonly words: number;
  readonly depth: number;
}

/** A folder with such a name, and those of its entries in a segment that are in reach. */
interface NamedRange extends Nearness {
  readonly start: number;
  readonly end: number;
  readonly location: () => Location;
}

/** Where other work may have its turn. */
const rest = undefined;

/** Folders in one answer. */
const maxFolders = 3;
/** Folders that are looked at between two rests. */
const step = 32;

/**
 * The folders in reach whose names have all of the words, the nearest names first: those with the fewest other words, then
 * those nearest to the root, then in the order of locations. Only folders with a live document in reach are among them.
 * Works in steps.
 * @param within the folder to which the search is narrowed; itself not among them
 */
export function* findFolders(
  reached: readonly ReachedSegment[],
  words: readonly FolderWord[],
  languages: Languages,
  within: Location = rootLocation,
): Generator<void, Location[]> {
  if (words.length === 0) return [];
  const best: NamedFolder[] = [];
  for (const { reader, intervals } of reached) {
    for (const found of rangesWith(reader, intervals, words, languages)) {
      if (found === rest) yield;
      else if (isNear(found, best) && hasLive(reader, found))
        addNear(best, { ...found, location: found.location() }, within);
    }
  }
  return best.map(({ location }) => location);
}

interface NamedFolder extends Nearness {
  readonly location: Location;
}

/** Whether it may be among the nearest. Of most folders nothing else is looked at. */
function isNear(found: Nearness, best: readonly NamedFolder[]): boolean {
  const last = best[maxFolders - 1];
  return last === undefined || compareNearness(found, last) <= 0;
}

function addNear(best: NamedFolder[], found: NamedFolder, within: Location): void {
  if (found.location === within || !isWithin(within, found.location)) return;
  if (best.some(({ location }) => location === found.location)) return;
  best.push(found);
  best.sort((a, b) => compareNearness(a, b) || compareText(a.location, b.location));
  best.length = Math.min(best.length, maxFolders);
}

function compareNearness(a: Nearness, b: Nearness): number {
  return a.words - b.words || a.depth - b.depth;
}

/** Narrows a reach to the documents that the filters leave. Works in steps. */
export function* narrowToFolders(
  reached: readonly ReachedSegment[],
  filters: readonly FolderFilter[],
  languages: Languages,
): Generator<void, ReachedSegment[]> {
  const narrowed: ReachedSegment[] = [];
  for (const { reader, intervals } of reached) {
    let left = intervals;
    for (const { words, isProhibited } of filters) {
      const ranges: [number, number][] = [];
      for (const found of rangesWith(reader, left, words, languages)) {
        if (found === rest) yield;
        else ranges.push([found.start, found.end]);
      }
      const joined = joinRanges(ranges);
      left = isProhibited ? without(left, joined) : joined;
      yield;
    }
    if (left.length > 0) narrowed.push({ reader, intervals: left });
  }
  return narrowed;
}

/** The ranges of a segment's entries in reach that lie in folders with such names. Nothing else is looked at. */
function* rangesWith(
  reader: SegmentReader,
  intervals: Intervals,
  words: readonly FolderWord[],
  languages: Languages,
): Generator<NamedRange | typeof rest> {
  const reading = writtenFoldersOf(reader.segment, languages);
  let read = reading.next();
  for (; read.done !== true; read = reading.next()) yield rest;
  let looked = 0;
  for (let at = 0; at < intervals.length; at += 2) {
    const reach = { start: intervals[at] ?? 0, end: intervals[at + 1] ?? 0 };
    if ((looked += 1) % step === 0) yield rest;
    for (const folder of foldersWith(read.value, reach, words)) {
      if ((looked += 1) % step === 0 || folder === rest) yield rest;
      if (folder !== rest) yield* writtenRanges(reader, read.value, folder, reach);
    }
    for (const run of runsBetween(reader.runs, reach.start, reach.end)) {
      if (isUnmoved(run)) continue;
      if ((looked += 1) % step === 0) yield rest;
      yield* movedRanges(reader, run, reach, words, languages);
    }
  }
}

/** Where the folder still has its written name, whatever was renamed around it. */
function* writtenRanges(
  reader: SegmentReader,
  written: WrittenFolders,
  folder: number,
  reach: Range,
): Generator<NamedRange> {
  const within = common(reach, { start: written.startOf(folder), end: written.endOf(folder) });
  const location = (): Location => written.namesOf(folder).join('/') as Location;
  const words = written.wordsOf(folder);
  const depth = written.depthOf(folder);
  for (const run of runsBetween(reader.runs, within.start, within.end)) {
    if (isUnmoved(run)) yield { ...common(within, run), words, depth, location };
    else if (depth > depthOf(run.from)) {
      const present = (): Location => rebase(location(), run.from, run.to);
      yield { ...common(within, run), words, depth: depth - depthOf(run.from) + depthOf(run.to), location: present };
    }
  }
}

/** The folders on the way to a renamed range, and the renamed folder itself. */
function* movedRanges(
  { segment }: SegmentReader,
  run: RenamedRange,
  reach: Range,
  words: readonly FolderWord[],
  languages: Languages,
): Generator<NamedRange> {
  const [, ...around] = ancestorsOf(run.to);
  const isDocument = segment.locationAt(run.start) === run.from;
  for (const location of isDocument ? around : [...around, run.to]) {
    const name = nameOf(location);
    if (!hasWords(termsOfName(name, languages), words)) continue;
    yield { ...common(reach, run), words: countWords(name), depth: depthOf(location), location: () => location };
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function common(a: Range, b: Range): Range {
  return { start: Math.max(a.start, b.start), end: Math.min(a.end, b.end) };
}

/**
 * The written folders with an entry in [start, end) and all of the words. Those out of it are not looked at, however they
 * are called.
 */
function* foldersWith(
  written: WrittenFolders,
  { start, end }: Range,
  words: readonly FolderWord[],
): Generator<number | typeof rest> {
  const range = written.between(start, end);
  for (const folder of range.around) if (hasWords(written.termsOf(folder), words)) yield folder;
  const whole = words.find(({ beginning }) => beginning === undefined);
  const seen = new Set<number>();
  for (const term of whole?.terms ?? []) {
    for (const folder of written.holders(term, range.first, range.end)) {
      if (seen.has(folder)) continue;
      seen.add(folder);
      yield hasWords(written.termsOf(folder), words) ? folder : rest;
    }
  }
  if (whole !== undefined) return;
  for (let folder = range.first; folder < range.end; folder += 1) {
    if (hasWords(written.termsOf(folder), words)) yield folder;
    else if (folder % (16 * step) === 0) yield rest;
  }
}

function hasWords(terms: readonly string[], words: readonly FolderWord[]): boolean {
  return words.every(({ terms: wanted, beginning }) =>
    terms.some((term) => wanted.includes(term) || (beginning !== undefined && term.startsWith(beginning))),
  );
}

function hasLive(reader: SegmentReader, { start, end }: Range): boolean {
  for (let ordinal = start; ordinal < end; ordinal += 1) if (!reader.isDead(ordinal)) return true;
  return false;
}

function without(intervals: Intervals, taken: Intervals): number[] {
  const left: number[] = [];
  let next = 0;
  for (let at = 0; at < intervals.length; at += 2) {
    let start = intervals[at] ?? 0;
    const end = intervals[at + 1] ?? 0;
    while ((taken[next + 1] ?? end) <= start && next < taken.length) next += 2;
    for (let each = next; (taken[each] ?? end) < end; each += 2) {
      if (start < (taken[each] ?? 0)) left.push(start, taken[each] ?? 0);
      start = Math.max(start, taken[each + 1] ?? 0);
    }
    if (start < end) left.push(start, end);
  }
  return left;
}
