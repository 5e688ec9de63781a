import type { StoredThread } from '../../sidecar/tables/comment-table.js';
import { readPart, type PartRead, type ReadPartInput, type ShownText } from '../documents/read-part.js';
import type { ReadOperation } from '../operation.js';
import { toComment } from './add-comment.js';
import { describeAnchor, findPlaces, isQuoted } from './find-places.js';
import { findOpening, type OpenThread } from './read-thread.js';

/** The open threads on a document, as a read of a part of it shows them. */
export interface Remarks {
  /** Number of open threads on the whole document; `maxCounted` stands for more, too. */
  readonly count: number;
  /** The first few about the part that was read. */
  readonly threads: readonly OpenThread[];
}

export interface RemarkedRead extends PartRead {
  readonly remarks: Remarks;
}

const maxCounted = 100;
/** Of the open threads, the first so many are sought in the text. */
const maxPlaced = 20;
const maxShown = 5;

/** Threads without a place in the text belong to its first part. */
function isAbout({ part }: ShownText, { anchor }: OpenThread): boolean {
  if (part === undefined) return true;
  const { startLine, endLine } = part;
  if (anchor.type !== 'passage') return startLine === 1;
  return anchor.place.lastLine >= startLine && anchor.place.line <= endLine;
}

/**
 * A part of a document with the open threads of comments on it. Reader.
 * @throws Refusal as `readPart` does
 */
export const readRemarked: ReadOperation<ReadPartInput, RemarkedRead> = {
  kind: 'read',
  name: readPart.name,
  needs: (input) => readPart.needs(input),
  note: (input) => readPart.note(input),
  async run(context, input) {
    const { view, workspace } = context;
    const { comments } = view.tables;
    const number = view.document(input.location)?.number;
    const open = number === undefined ? [] : comments.openThreads(number, 0, maxCounted);
    const openings = new Map<StoredThread, ReturnType<typeof findOpening>>();
    for (const thread of open.slice(0, maxPlaced)) openings.set(thread, findOpening(view, thread));
    // Begun before any wait, so that it reads the same version.
    const read = await readPart.run(context, input);
    if (open.length === 0) return { ...read, remarks: { count: 0, threads: [] } };
    const places = await findPlaces(workspace, read.version, [...openings.keys()].filter(isQuoted));
    const threads = [...openings].flatMap(([thread, opening]): OpenThread[] => {
      if (opening === undefined) return [];
      const { comment, answers } = opening;
      return [{ threadId: thread.id, anchor: describeAnchor(thread, places), comment: toComment(comment), answers }];
    });
    const { shown } = read;
    const about = shown === null ? threads : threads.filter((thread) => isAbout(shown, thread));
    return { ...read, remarks: { count: open.length, threads: about.slice(0, maxShown) } };
  },
  noteResult: (read) => readPart.noteResult?.(read) ?? {},
};
