import { compareText, joinLocation, nameOf, rootLocation, segmentsOf, type Location } from '../../domain/location.js';
import { likenessTo } from '../../text/measure-likeness.js';
import type { View } from '../../view/view.js';

/** What a caller may have meant by a location where it finds nothing. */
export interface NearNames {
  /** Documents that the caller can read, the most like first. */
  readonly near: readonly Location[];
  /** The location is a folder that the caller reaches, or reaches something in. */
  readonly isFolder: boolean;
}

const maxNear = 3;
/** Least likeness of a name. */
const leastLike = 0.5;
/** Most documents and folders looked at, and how many of one folder in one list. */
const maxDocuments = 200;
const maxFolders = 100;
const listed = 50;
/** More grants make each look at a folder on the way to them dear. Then only the granted places are looked at. */
const fewGrants = 100;
/** Most granted places compared, and most folders of them walked where there are many. */
const maxCompared = 500;
const maxStarts = 10;
/** Folders of one level that a misspelled segment may stand for. */
const maxMeant = 2;

/** A name without its ending. */
function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** The part of a caller's view that is looked at: what it shows is all that an answer depends on. */
export type NameView = Pick<View, 'document' | 'documents' | 'folder' | 'folders'>;

/**
 * Names like one where the caller finds nothing. They come from the caller's view alone, so a hidden and an absent
 * document give the same names. A document at the location itself is none of them: one that the caller can read and not
 * change gives them too. The work is bounded, and in proportion to what the caller reaches.
 * @param reach of the same caller
 */
export function findNearNames(view: NameView, location: Location, reach: ReturnType<View['searchReach']>): NearNames {
  if (view.folder(location) !== undefined) return { near: [], isFolder: true };
  const search = new NameSearch(view, location);
  const { everything, folders, documents } = reach;
  search.rateAll(documents.toSorted(compareText));
  if (folders.length + documents.length <= fewGrants) search.followPath(rootLocation, segmentsOf(location));
  for (const start of everything ? [rootLocation] : search.chooseStarts(folders.toSorted(compareText))) {
    search.walk(start);
  }
  return { near: search.best(), isFolder: false };
}

/**
 * Folders that a caller may have meant where it reaches none: those with names like the first segment without a folder,
 * or the folder above it. They come from the caller's view alone.
 */
export function findNearFolders(view: NameView, location: Location): Location[] {
  let at = rootLocation;
  for (const segment of segmentsOf(location)) {
    const next = joinLocation(at, segment);
    if (view.folder(next) !== undefined) {
      at = next;
      continue;
    }
    const likeness = likenessTo(segment);
    const children = startsOf(segment).flatMap((after) => view.folders(at, after, listed).items);
    const near = [...new Set(children.map((child) => child.location))]
      .map((child) => ({ child, like: likeness(nameOf(child)) }))
      .filter(({ like }) => like >= leastLike)
      .toSorted((a, b) => b.like - a.like || compareText(a.child, b.child))
      .slice(0, maxNear)
      .map(({ child }) => child);
    return near.length > 0 || at === rootLocation ? near : [at];
  }
  return [];
}

class NameSearch {
  readonly #view: NameView;
  readonly #sought: Location;
  readonly #likeName: (other: string) => number;
  readonly #likePath: (other: string) => number;
  readonly #found = new Map<Location, number>();
  readonly #walked = new Set<Location>();
  #documents = 0;
  #folders = 0;

  constructor(view: NameView, sought: Location) {
    this.#view = view;
    this.#sought = sought;
    this.#likeName = likenessTo(stemOf(nameOf(sought)));
    this.#likePath = likenessTo(sought);
  }

  /** Goes down a path. A segment without a folder stands for those with like names. */
  followPath(folder: Location, [first = '', ...rest]: readonly string[]): void {
    if (rest.length === 0) {
      this.#look(folder, first);
      return;
    }
    const next = (folder === rootLocation ? first : `${folder}/${first}`) as Location;
    if (this.#mayOpen() && this.#view.folder(next) !== undefined) {
      this.followPath(next, rest);
      return;
    }
    const likeness = likenessTo(first);
    const meant = this.#listFolders(folder, first)
      .map((child) => ({ child, like: likeness(nameOf(child)) }))
      .filter(({ like }) => like >= leastLike)
      .toSorted((a, b) => b.like - a.like || compareText(a.child, b.child));
    for (const { child } of meant.slice(0, maxMeant)) this.followPath(child, rest);
  }

  rateAll(locations: readonly Location[]): void {
    for (const location of locations.slice(0, maxCompared)) this.#rate(location);
  }

  /** Of many granted folders those whose paths are most like the one sought. */
  chooseStarts(folders: readonly Location[]): readonly Location[] {
    if (folders.length <= fewGrants) return folders;
    return folders
      .slice(0, maxCompared)
      .map((folder) => ({ folder, like: this.#likePath(folder) }))
      .toSorted((a, b) => b.like - a.like || compareText(a.folder, b.folder))
      .slice(0, maxStarts)
      .map(({ folder }) => folder);
  }

  /** Looks through a folder and those below it, as far as the bounds allow. */
  walk(start: Location): void {
    const waiting = [start];
    for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
      if (this.#walked.has(folder)) continue;
      this.#walked.add(folder);
      this.#look(folder, '');
      waiting.push(...this.#listFolders(folder, ''));
    }
  }

  best(): Location[] {
    return [...this.#found]
      .toSorted(([a, left], [b, right]) => right - left || compareText(a, b))
      .slice(0, maxNear)
      .map(([location]) => location);
  }

  #mayOpen(): boolean {
    this.#folders += 1;
    return this.#folders <= maxFolders;
  }

  /** Rates the documents of a folder: the first ones, and those whose names begin like this. */
  #look(folder: Location, name: string): void {
    for (const after of startsOf(name)) {
      if (!this.#mayOpen()) return;
      const most = Math.min(listed, maxDocuments - this.#documents);
      if (most <= 0) return;
      const { items } = this.#view.documents(folder, after, most);
      this.#documents += items.length;
      for (const { location } of items) this.#rate(location);
    }
  }

  #listFolders(folder: Location, name: string): Location[] {
    const found = new Set<Location>();
    for (const after of startsOf(name)) {
      if (!this.#mayOpen()) break;
      const { items } = this.#view.folders(folder, after, listed);
      for (const child of items) found.add(joinLocation(folder, child.name));
    }
    return [...found];
  }

  #rate(location: Location): void {
    if (location === this.#sought) return;
    const like = this.#likeName(stemOf(nameOf(location)));
    if (like >= leastLike) this.#found.set(location, 2 * like + this.#likePath(location));
  }
}

/** Positions in a list of names: its beginning, and where names begin like this one. */
function startsOf(name: string): readonly string[] {
  const first = name.codePointAt(0);
  return first === undefined ? [''] : ['', String.fromCodePoint(first)];
}
