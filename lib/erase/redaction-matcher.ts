import { nameOf, parentOf, rootLocation, type Location } from '../domain/location.js';
import type { KeptText, NamedPlace } from '../sidecar/tables/erase-rows.js';

/** The traces sought in texts of the audit log. */
export interface Traces {
  readonly documentIds: ReadonlySet<string>;
  /** Places that the documents had, and no folder. */
  readonly locations: ReadonlySet<string>;
  /**
   * Names that no other document or folder has or had, each as its words, joined. They stand with and without their
   * ending.
   */
  readonly names: ReadonlySet<string>;
}

/** Shorter names, and names without their ending, stand in too many texts to be sought in them. */
const minNameLength = 4;
const minStemLength = 6;
/** Actions about no content: names and paths in their records are those of other things. */
const withoutContent: ReadonlySet<string> = new Set(
  'audit consent credential group link password policy principal session workspace'.split(' '),
);
/** Entries of a detail that name places, or a new name. */
const placeEntries = ['from', 'to', 'folder', 'to_folder', 'name', 'within'] as const;
const search = 'document.search';
/** A question to the audit log names the place that it is about. */
const question = 'audit.list';

/** The words of a text, in small letters without their marks, regardless of their separators. */
function foldWords(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

const join = (words: readonly string[]): string => words.join(' ');
const countLetters = (words: readonly string[]): number => words.reduce((sum, { length }) => sum + length, 0);
const withoutEnding = (name: string): string => name.replace(/\.[^.]*$/, '');
const formsOf = (name: string): string[] => [join(foldWords(name)), join(foldWords(withoutEnding(name)))];

/** The forms in which a name is sought, if at all. */
function soughtForms(name: string): string[] {
  const [words, stem] = [foldWords(name), foldWords(withoutEnding(name))];
  // A name of signs alone has no words except those of its ending.
  if (stem.length === 0) return [];
  return [
    ...(countLetters(words) >= minNameLength ? [join(words)] : []),
    ...(countLetters(stem) >= minStemLength ? [join(stem)] : []),
  ];
}

/** Maximum of names and folders kept in the cache. */
const maxRemembered = 20_000;

/** Finds the sure traces of erased documents: places and names of theirs that nothing else has or had. */
export class RedactionMatcher {
  readonly #own: ReadonlySet<number>;
  readonly #locations: Set<string>;
  readonly #names: Set<string>;
  /** Frequent names and folders. */
  readonly #seen = { names: new Set<string>(), folders: new Set<string>() };

  /**
   * @param documents their numbers
   * @param locations every place that they had
   */
  constructor(documents: readonly number[], locations: readonly string[]) {
    this.#own = new Set(documents);
    this.#locations = new Set(locations);
    this.#names = new Set(locations.flatMap((location) => soughtForms(nameOf(location as Location))));
    for (const location of locations) this.#leaveOutFolder(parentOf(location as Location));
  }

  /** Leaves out traces that these places show to be another thing's, too. */
  leaveOut(places: readonly NamedPlace[]): void {
    for (const { document, place, isName } of places) {
      if (!isName) this.#leaveOutFolder(document === null ? (place as Location) : parentOf(place as Location));
      if (document === null || !this.#own.has(document)) this.#leaveOutName(nameOf(place as Location));
    }
  }

  found(documentIds: readonly string[]): Traces {
    return { documentIds: new Set(documentIds), locations: this.#locations, names: this.#names };
  }

  #leaveOutFolder(folder: Location): void {
    for (let at = folder; at !== rootLocation && !wasSeen(this.#seen.folders, at); at = parentOf(at)) {
      this.#locations.delete(at);
      this.#leaveOutName(nameOf(at));
    }
  }

  #leaveOutName(name: string): void {
    if (wasSeen(this.#seen.names, name)) return;
    for (const form of formsOf(name)) this.#names.delete(form);
  }
}

function wasSeen(seen: Set<string>, text: string): boolean {
  if (seen.has(text)) return true;
  if (seen.size >= maxRemembered) seen.clear();
  seen.add(text);
  return false;
}

/**
 * Whether a text surely names one of the documents. The text must be about the document, or about no known one and
 * contain one of its places or its name. A text about another document, a person or the service never matches.
 */
export function makeRecogniser({ documentIds, locations, names }: Traces): (text: KeptText) => boolean {
  const phrases = [...names].map((name) => name.split(' '));
  const paths = [...locations].filter((location) => location.includes('/'));
  const isName = (segment: string): boolean => formsOf(segment).some((form) => names.has(form));
  const hasNamed = (place: string): boolean => names.size > 0 && place.split('/').some(isName);
  const isAsked = (query: string): boolean => {
    if (paths.some((path) => quotes(query, path))) return true;
    const asked = new Set(phrases.length === 0 ? [] : foldWords(query));
    return phrases.some((phrase) => phrase.every((word) => asked.has(word)));
  };
  return ({ action, target, detail, documentId }) => {
    if (documentId !== null) return documentIds.has(documentId);
    const isElsewhere = action !== null && action !== question && withoutContent.has(action.split('.', 1)[0] ?? '');
    if (isElsewhere) return false;
    for (const place of placesIn(detail)) if (locations.has(place) || hasNamed(place)) return true;
    if (target === null) return false;
    // The action of an archived record is unknown here: its text may be a place or a query.
    if (action !== search && (hasNamed(target) || isPlace(target, locations, action !== null))) return true;
    return (action === search || action === null) && isAsked(target);
  };
}

/** @param isSurely whether it is surely a place: a place at the root looks like any word */
function isPlace(target: string, locations: Traces['locations'], isSurely: boolean): boolean {
  const place = target
    .split('/')
    .filter((segment) => segment !== '')
    .join('/');
  return locations.has(place) && (isSurely || place.includes('/'));
}

function placesIn(detail: string | null): string[] {
  if (detail === null) return [];
  const entries = JSON.parse(detail) as Readonly<Record<string, unknown>>;
  return placeEntries.map((name) => entries[name]).filter((value) => typeof value === 'string');
}

/** Whether a whole path stands in a query, and not as part of a longer one. */
function quotes(query: string, path: string): boolean {
  for (let at = query.indexOf(path); at >= 0; at = query.indexOf(path, at + 1)) {
    const before = query.slice(0, at);
    const after = query.slice(at + path.length);
    if (/(?:^|[^\p{L}\p{M}\p{N}_./-])\/?$/u.test(before) && /^(?:$|\.?(?:$|[^\p{L}\p{M}\p{N}_./-]))/u.test(after)) {
      return true;
    }
  }
  return false;
}
