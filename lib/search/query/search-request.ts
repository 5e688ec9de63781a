import type { DocumentKind } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import type { Query, QuerySyntax } from './parse-query.js';
import type { SearchPosition } from '../ranking/search-position.js';
import type { SearchReach } from '../reachable.js';

export interface SearchFilters {
  /** Only documents below it; it counts as the whole reach. */
  readonly folder?: Location;
  /** Only documents with all of them; scores stay as they are. */
  readonly labels?: readonly string[];
  readonly kind?: DocumentKind;
}

export interface SearchRequest {
  readonly reach: SearchReach;
  readonly query: string;
  readonly syntax?: QuerySyntax;
  /** Whether the query is still being typed: its last word is the beginning of words, too. */
  readonly isPartial?: boolean;
  readonly filters?: SearchFilters;
  /**
   * Whether each chunk of a long text with words of the query is a hit, the best first: for a reach of one document. There
   * is one page. A phrase is found at one place alone.
   */
  readonly everyPlace?: boolean;
  /** Hits on a page. */
  readonly limit: number;
  /** Where the page before ended; null or left out for the first. */
  readonly position?: SearchPosition | null;
}

/** A document of the index. */
export interface IndexedDocument {
  readonly key: number;
  readonly location: Location;
}

export interface SearchHit extends IndexedDocument {
  /** Where the best chunk of a long text starts, in UTF-16 units; 0 for none. */
  readonly chunkStart: number;
}

/** A document with a word that the caller may have meant. */
export interface Suggestion {
  readonly hit: SearchHit;
  /** Finds the word in it, for `snippet`. */
  readonly query: Query;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** Folders by their names, the nearest first; on the first page alone. */
  readonly folders: readonly Location[];
  /** As it was read, for `snippet`. */
  readonly query: Query;
  /** Whether terms of a long question were left out. */
  readonly leavesOut: boolean;
  /** Plain data, to be sealed: it reveals how many documents the caller reaches. Null at the end. */
  readonly position: SearchPosition | null;
}
