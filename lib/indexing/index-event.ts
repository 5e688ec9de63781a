import type { Location } from '../domain/location.js';
import type { DocumentKind } from '../domain/document.js';
import type { Analysis } from '../search/search-index.js';

/** A document as the index is to know it from now on. */
export interface DocumentToIndex {
  readonly number: number;
  readonly location: Location;
  readonly blobOid: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: DocumentKind;
  readonly labels: readonly string[];
}

/** What a commit means to the index. */
export type IndexEvent =
  | { readonly type: 'upsert'; readonly document: DocumentToIndex }
  | { readonly type: 'remove'; readonly location: Location }
  | { readonly type: 'rename'; readonly from: Location; readonly to: Location }
  | { readonly type: 'relabel'; readonly location: Location; readonly labels: readonly string[] }
  /** The history was made anew: the same content has another commit now. */
  | { readonly type: 'rewrite' };

/** Something else to be done to the index, at its place in the line. */
export interface Work {
  readonly type: 'work';
  readonly run: () => void;
}

/** What waits to be followed: a commit's note, or work. */
export interface QueuedIndexEvent {
  readonly note: IndexEvent | Work;
  readonly commit: string;
}

const maxTogether = 256;

/** Notes that are followed together, or one piece of work. */
export interface IndexBatch {
  readonly notes: readonly (IndexEvent | Work)[];
  /** How many of those that waited they stand for. */
  readonly count: number;
  /** The commit that the index is of when they are followed. */
  readonly commit: string;
}

/** What can be followed together: new versions of documents, of each only the newest, or anything else alone. */
export function takeBatch(notes: readonly QueuedIndexEvent[], from: number): IndexBatch {
  const newest = new Map<Location, IndexEvent>();
  let next = from;
  for (; next < notes.length && newest.size < maxTogether; next += 1) {
    const note = notes[next]?.note;
    if (note?.type !== 'upsert') break;
    newest.set(note.document.location, note);
  }
  const first = notes[from];
  if (newest.size === 0 && first !== undefined) return { notes: [first.note], count: 1, commit: first.commit };
  return { notes: [...newest.values()], count: next - from, commit: notes[next - 1]?.commit ?? '' };
}

/** Keys in the order in which the analysis has its documents. */
export function keysFor(analysis: Analysis, documents: readonly DocumentToIndex[]): number[] {
  const numbers = new Map(documents.map(({ location, number }) => [location, number]));
  return analysis.locations.map((location) => numbers.get(location) ?? 0);
}
