/** An in-memory index of some documents, with its workspace. */
import type { Location } from '../../lib/domain/location.js';
import type { SearchReach } from '../../lib/search/reachable.js';
import { parseQuery } from '../../lib/search/query/parse-query.js';
import { findVariants } from '../../lib/search/query/vary-spelling.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import {
  SearchIndex,
  type SearchOptions,
  type SearchPage,
  type SearchRequest,
  type Snippet,
} from '../../lib/search/search-index.js';

export const everything: SearchReach = { everything: true, folders: [], documents: [] };

export function folders(...locations: string[]): SearchReach {
  return { everything: false, folders: locations as Location[], documents: [] };
}

/** As an erase has a document forgotten: nothing of it is left in memory, nor in a file. */
export async function forget(index: SearchIndex, key: number): Promise<void> {
  await index.expel(key);
  await index.save();
}

/** The snippet of a text for a query, as a search reads it. */
export function snippetFrom(index: SearchIndex, location: Location, text: string, query: string): Promise<Snippet> {
  const read = runAtOnce(findVariants(parseQuery(query, undefined, index.languages), index.languages));
  return index.snippet(location, text, read);
}

export class IndexOf {
  readonly texts = new Map<string, string | null>();
  readonly index: SearchIndex;
  readonly #keys = new Map<string, number>();
  #commits = 0;

  constructor(texts: Readonly<Record<string, string | null>>, options: Partial<SearchOptions> = {}) {
    const readText = (_: number, location: Location): string | null => this.texts.get(location) ?? null;
    this.index = SearchIndex.open({ folder: null, readText, ...options });
    for (const [location, text] of Object.entries(texts)) this.write(location, text);
  }

  keyOf(location: string): number {
    return this.#keys.get(location) ?? 0;
  }

  /** One commit. */
  write(location: string, text: string | null, labels: readonly string[] = []): void {
    const kind = text === null ? 'binary' : 'text';
    this.texts.set(location, text);
    const key = this.#keys.get(location) ?? this.#keys.size + 1;
    this.#keys.set(location, key);
    const analysis = this.index.analyze({ location: location as Location, text, kind, labels });
    this.index.apply({ commit: this.nextCommit(), upserts: [{ analysis, keys: [key] }] });
  }

  remove(location: string): void {
    this.texts.delete(location);
    this.index.apply({ commit: this.nextCommit(), removals: [location as Location] });
  }

  rename(from: string, to: string): void {
    for (const [location, text] of Array.from(this.texts)) {
      if (location !== from && !location.startsWith(`${from}/`)) continue;
      this.texts.delete(location);
      this.texts.set(to + location.slice(from.length), text);
    }
    this.index.apply({ commit: this.nextCommit(), renames: [{ from: from as Location, to: to as Location }] });
  }

  nextCommit(): string {
    this.#commits += 1;
    return `commit-${this.#commits}`;
  }

  page(query: string, request: Partial<SearchRequest> = {}): Promise<SearchPage> {
    return this.index.search({ reach: everything, query, limit: 50, ...request });
  }

  /** Locations found, best first. */
  async find(query: string, request: Partial<SearchRequest> = {}): Promise<string[]> {
    return (await this.page(query, request)).hits.map(({ location }) => location);
  }
}
