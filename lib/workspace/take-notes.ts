import type { Location } from '../domain/location.js';
import type { SearchNote } from './search-keeper.js';

/** Something else to be done to the index, at its place in the line. */
export interface Work {
  readonly type: 'work';
  readonly run: () => void;
}

/** What waits to be followed: a commit's note, or work. */
export interface QueuedNote {
  readonly note: SearchNote | Work;
  readonly commit: string;
}

const mostTogether = 256;

/**
 * What can be followed together: new versions of documents, of each only the newest, or anything else alone.
 * @returns the notes to follow, and how many were taken
 */
export function takeBatch(notes: readonly QueuedNote[], from: number): { notes: (SearchNote | Work)[]; count: number } {
  const newest = new Map<Location, SearchNote>();
  let next = from;
  for (; next < notes.length && newest.size < mostTogether; next += 1) {
    const note = notes[next]?.note;
    if (note?.type !== 'upsert') break;
    newest.set(note.document.location, note);
  }
  const first = notes[from];
  if (newest.size > 0 || first === undefined) return { notes: [...newest.values()], count: next - from };
  return { notes: [first.note], count: 1 };
}
