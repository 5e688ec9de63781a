import type { Location } from '../../domain/location.js';
import type { Segment } from './segment.js';

/** Documents made ready for the index, which is most of the work; for one `apply` or `backfill`. */
export interface Analysis {
  /** In the order in which keys are given to them. */
  readonly locations: readonly Location[];
  readonly segment: Segment;
}

/** New versions of documents, or new documents: their analysis, and a key (an integer below 2^32) for each. */
export interface SearchUpsert {
  readonly analysis: Analysis;
  readonly keys: readonly number[];
}

/** The changes of a commit, applied in this order. */
export interface SearchBatch {
  /** The commit of the index afterwards. */
  readonly commit: string;
  /** Deleted documents. */
  readonly removals?: readonly Location[];
  /** Folders or documents with new names. A document whose text is read otherwise there is an upsert. */
  readonly renames?: readonly { readonly from: Location; readonly to: Location }[];
  readonly upserts?: readonly SearchUpsert[];
  /** Documents with other labels than when they were analysed. */
  readonly relabels?: readonly { readonly location: Location; readonly labels: readonly string[] }[];
}

/** The analysis of documents already written into the segment. */
export function toAnalysis(segment: Segment): Analysis {
  const locations = [...segment.documents()].map((ordinal) => segment.locationAt(ordinal));
  return { segment, locations };
}
