import type { Location } from '../domain/location.js';
import type { DocumentKind } from '../domain/document.js';
import type { Analysis } from '../search/search-index.js';

/** The index's data on a document from now on. */
export interface DocumentToIndex {
  readonly number: number;
  readonly location: Location;
  readonly blobOid: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: DocumentKind;
  readonly mediaType: string;
  readonly labels: readonly string[];
}

/** The effect of a commit on the index. */
export type IndexEvent =
  | { readonly type: 'upsert'; readonly document: DocumentToIndex }
  | { readonly type: 'remove'; readonly location: Location }
  | { readonly type: 'rename'; readonly from: Location; readonly to: Location }
  | { readonly type: 'relabel'; readonly location: Location; readonly labels: readonly string[] }
  /** The history was rewritten: the same content has another commit now. */
  | { readonly type: 'rewrite' };

/** Other work on the index, at its place in the queue. */
export interface Work {
  readonly type: 'work';
  readonly run: () => void;
}

/** A waiting item of the queue: a commit's event, or work. */
export interface QueuedIndexEvent {
  readonly note: IndexEvent | Work;
  readonly commit: string;
}

/**
 * Documents of a batch, and bytes after which it takes no further one: it is analysed in one go, in some dozen
 * milliseconds of a worker. The words of many texts are sorted and merged once, and most of them are the same ones.
 */
const maxTogether = 256;
const bytesTogether = 768 * 1024;

/** Events applied together, or one piece of work. */
export interface IndexBatch {
  readonly notes: readonly (IndexEvent | Work)[];
  /** Whether it holds new versions alone. */
  readonly isUpsert: boolean;
  /** Number of the waiting items in the batch. */
  readonly count: number;
  /** The index's commit after the batch. */
  readonly commit: string;
}

/**
 * Items that can be applied together: new versions, or any other item alone. Of each document only the newest is taken,
 * wherever the older ones were, because one that is read anew at another place comes as a new version.
 */
export function takeBatch(notes: readonly QueuedIndexEvent[], from: number): IndexBatch {
  const newest = new Map<Location, IndexEvent>();
  const places = new Map<number, Location>();
  let next = from;
  let bytes = 0;
  for (; next < notes.length && newest.size < maxTogether && bytes < bytesTogether; next += 1) {
    const note = notes[next]?.note;
    if (note?.type !== 'upsert') break;
    const { number, location, size } = note.document;
    bytes += size;
    const before = places.get(number);
    const replaced = before === undefined ? undefined : newest.get(before);
    // Another document can have come to that place since.
    if (before !== undefined && replaced?.type === 'upsert' && replaced.document.number === number)
      newest.delete(before);
    newest.set(location, note);
    places.set(number, location);
  }
  const first = notes[from];
  if (newest.size === 0 && first !== undefined)
    return { notes: [first.note], isUpsert: false, count: 1, commit: first.commit };
  return { notes: [...newest.values()], isUpsert: true, count: next - from, commit: notes[next - 1]?.commit ?? '' };
}

/** The new versions among the items. */
export function documentsOf(notes: readonly (IndexEvent | Work)[]): DocumentToIndex[] {
  return notes.flatMap((note) => (note.type === 'upsert' ? [note.document] : []));
}

/** Keys in the analysis's order of documents. */
export function keysFor(analysis: Analysis, documents: readonly DocumentToIndex[]): number[] {
  const numbers = new Map(documents.map(({ location, number }) => [location, number]));
  return analysis.locations.map((location) => numbers.get(location) ?? 0);
}
