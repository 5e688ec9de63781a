import { segmentsOf, type Location } from '../../domain/location.js';
import { spellingAt, splitWords } from '../analysis/split-words.js';
import type { Languages } from '../languages/languages.js';
import type { Segment } from './segment.js';

/** Work between two rests: entries that are looked at, of which one in another folder counts for many. */
const step = 512;
const costOfFolder = 16;

/**
 * The folders of a segment's documents, as they were when it was written. A folder is one range of ordinals. They stand
 * in the order of their starts, an outer one before those in it, so that those in a reach are ranges of them, too.
 * Nothing in here is stored: it is made when a search first asks for it.
 */
export class WrittenFolders {
  readonly #segment: Segment;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** Segments of their locations. */
  readonly #depths: number[] = [];
  /** Words of their own names. */
  readonly #words: number[] = [];
  /** The folder around each; -1 for none. */
  readonly #parents: number[] = [];
  /** Terms of their own names. */
  readonly #terms: (readonly string[])[] = [];
  /** For each term, the folders with it, in order. */
  readonly #holders = new Map<string, number[]>();

  private constructor(segment: Segment) {
    this.#segment = segment;
  }

  /** Works in steps. */
  static *read(segment: Segment, languages: Languages): Generator<void, WrittenFolders> {
    const folders = new WrittenFolders(segment);
    const open: { readonly name: string; readonly index: number }[] = [];
    const leave = (depth: number, at: number): void => {
      for (const { index } of open.splice(depth)) folders.#ends[index] = at;
    };
    const { locationBytes, locationStarts } = segment;
    // The bytes of the last folder, with its slash.
    let last: Uint8Array = new Uint8Array(0);
    let work = 0;
    for (let ordinal = 0; ordinal < segment.entries; ordinal += 1) {
      if ((work += 1) >= step) {
        work = 0;
        yield;
      }
      const written = locationBytes.subarray(locationStarts[ordinal], locationStarts[ordinal + 1]);
      const slash = written.lastIndexOf(0x2f);
      if (slash + 1 === last.length && written.compare(last, 0, last.length, 0, slash + 1) === 0) continue;
      work += costOfFolder;
      last = written.subarray(0, slash + 1);
      const names = slash < 0 ? [] : segmentsOf(segment.locationAt(ordinal)).slice(0, -1);
      let depth = 0;
      while (depth < names.length && open[depth]?.name === names[depth]) depth += 1;
      leave(depth, ordinal);
      for (const name of names.slice(depth)) open.push({ name, index: folders.#add(name, ordinal, open, languages) });
    }
    leave(0, segment.entries);
    return folders;
  }

  startOf(folder: number): number {
    return this.#starts[folder] ?? 0;
  }

  /** The ordinal after its last entry. */
  endOf(folder: number): number {
    return this.#ends[folder] ?? 0;
  }

  depthOf(folder: number): number {
    return this.#depths[folder] ?? 0;
  }

  /** How many words its own name has. */
  wordsOf(folder: number): number {
    return this.#words[folder] ?? 0;
  }

  /** The names on the way to it, from the root, and its own. */
  namesOf(folder: number): string[] {
    return segmentsOf(this.#segment.locationAt(this.startOf(folder))).slice(0, this.depthOf(folder));
  }

  /** The folders that have an entry in [start, end): some around the first entry, and then a range [first, end). */
  between(
    start: number,
    end: number,
  ): { readonly around: readonly number[]; readonly first: number; readonly end: number } {
    const first = firstFrom(this.#starts, start);
    const around: number[] = [];
    for (let folder = first - 1; folder >= 0; folder = this.#parents[folder] ?? -1) {
      if (this.endOf(folder) > start) around.push(folder);
    }
    return { around, first, end: firstFrom(this.#starts, end) };
  }

  /** The terms of its own name. */
  termsOf(folder: number): readonly string[] {
    return this.#terms[folder] ?? [];
  }

  /** The folders in [first, end) whose names have the term. */
  *holders(term: string, first: number, end: number): Generator<number> {
    const holders = this.#holders.get(term) ?? [];
    for (let at = firstFrom(holders, first); (holders[at] ?? end) < end; at += 1) yield holders[at] ?? 0;
  }

  #add(name: string, start: number, open: readonly { readonly index: number }[], languages: Languages): number {
    const folder = this.#starts.push(start) - 1;
    this.#ends.push(start);
    this.#depths.push(open.length + 1);
    this.#words.push(countWords(name));
    this.#parents.push(open.at(-1)?.index ?? -1);
    const terms = termsOfName(name, languages);
    this.#terms.push(terms);
    for (const term of terms) {
      const holders = this.#holders.get(term);
      if (holders === undefined) this.#holders.set(term, [folder]);
      else holders.push(folder);
    }
    return folder;
  }
}

/** Segments of a location. */
export function depthOf(location: Location): number {
  return location === '' ? 0 : location.split('/').length;
}

/** How many words a folder's name has. */
export function countWords(name: string): number {
  let words = 0;
  splitWords(name, () => (words += 1));
  return words;
}

/** The terms of the words of a folder's name, as those of a document's name. */
export function termsOfName(name: string, languages: Languages): string[] {
  const terms = new Set<string>();
  splitWords(name, (word, start, end) => {
    for (const term of languages.stemsOf(word, spellingAt(name, word, start, end))) terms.add(term);
    terms.add(word);
  });
  return [...terms];
}

function firstFrom(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const read = new WeakMap<Segment, { readonly languages: Languages; readonly folders: WrittenFolders }>();

/** The folders of a segment; read once. Works in steps. */
export function* writtenFoldersOf(segment: Segment, languages: Languages): Generator<void, WrittenFolders> {
  const known = read.get(segment);
  if (known?.languages === languages) return known.folders;
  const folders = yield* WrittenFolders.read(segment, languages);
  read.set(segment, { languages, folders });
  return folders;
}
