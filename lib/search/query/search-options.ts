import type { Location } from '../../domain/location.js';
import type { ChunkLengths } from '../analysis/cut-chunks.js';
import type { Languages } from '../languages/languages.js';

/** How an index is opened. */
export interface SearchOptions {
  /** Where the index is stored between starts; null holds it in memory alone. */
  readonly folder: string | null;
  /** The current text of a document, to check phrases against; null for a binary or an absent one. */
  readonly readText: (key: number, location: Location) => Promise<string | null> | string | null;
  /** Called with failures in the background; the index then goes on as it was. */
  readonly report?: (error: Error) => void;
  /** The languages of a new index: English by default. */
  readonly languages?: Languages;
  /** How long texts are cut where they are analysed in this thread: the usual lengths, less where many chunks are to be seen. */
  readonly chunkLengths?: ChunkLengths;
  /** Bytes up to which a segment counts as smallest: 32 kB, less where merges are to be seen often. */
  readonly firstTier?: number;
}
