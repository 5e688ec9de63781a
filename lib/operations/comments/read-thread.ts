import type { Comment, CommentAnchor, Thread } from '../../domain/comment.js';
import type { Location } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import { invalidRequest, notFound } from '../../domain/refusal.js';
import type { StoredComment, StoredThread } from '../../sidecar/tables/comment-table.js';
import type { View } from '../../view/view.js';
import type { ReadOperation } from '../operation.js';
import { toComment } from './add-comment.js';
import { requireThread } from './answer-thread.js';
import { describeAnchor, findPlaces, isQuoted } from './find-places.js';
import { listComments } from './list-comments.js';

export interface ReadThreadInput {
  readonly threadId: string;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
  /** UTF-16 units of texts in one page. A page has at least one comment. */
  readonly maxChars: number;
}

/** A page of one thread: its comments in order. */
export interface ReadThread extends Page<Comment> {
  readonly threadId: string;
  readonly location: Location;
  readonly documentId: string;
  readonly anchor: CommentAnchor;
  readonly resolved: Thread['resolved'];
}

const digits = 16;
const encodeNumber = ({ number }: { readonly number: number }): string => String(number).padStart(digits, '0');

/** @throws Refusal INVALID_REQUEST `bad_cursor` */
function decodeNumber(after: string): number {
  if (after === '') return 0;
  if (/^\d{16}$/.test(after)) return Number(after);
  throw invalidRequest('bad_cursor', 'The cursor is not one for this query. Start again without it.', {
    field: 'cursor',
  });
}

/** How many of the first ones have texts that fit together; at least one. */
function countFitting(comments: readonly Comment[], maxChars: number): number {
  let count = 0;
  for (let left = maxChars; count < comments.length; count += 1) {
    left -= comments[count]?.text.length ?? 0;
    if (left < 0 && count > 0) break;
  }
  return count;
}

/** The comments of one thread, with the present position of its passage. Reader of the document. */
export const readThread: ReadOperation<ReadThreadInput, ReadThread> = {
  kind: 'read',
  name: listComments.name,
  isHeavy: true,
  needs: () => [],
  note: ({ threadId }) => ({ target: threadId }),
  async run({ view, workspace }, { threadId, after, limit, maxChars }) {
    const { thread, document } = requireThread(view, threadId);
    const found = view.tables.comments.listThread(thread.number, decodeNumber(after), limit + 1);
    const { items, next } = makePage(found, Math.min(limit, countFitting(found, maxChars)), encodeNumber);
    const places = await findPlaces(workspace, document.current, [thread].filter(isQuoted));
    return {
      threadId,
      location: document.location,
      documentId: document.id,
      anchor: describeAnchor(thread, places),
      resolved: thread.resolved,
      items: items.map(toComment),
      next,
    };
  },
  noteResult: ({ location, documentId, threadId }) => ({ target: location, documentId, detail: { thread: threadId } }),
};

/** An open thread, by the first comment in it that still has a text. */
export interface OpenThread {
  readonly threadId: string;
  readonly anchor: CommentAnchor;
  readonly comment: Comment;
  /** Number of comments after the first. */
  readonly answers: number;
}

/** Maximum of deleted comments passed over at the start of a thread. */
const passedOver = 20;

/** @returns undefined where only deleted comments stand at the start of the thread */
export function findOpening(
  view: View,
  { number }: StoredThread,
): { readonly comment: StoredComment; readonly answers: number } | undefined {
  const { comments } = view.tables;
  const isThere = ({ deletedAt }: StoredComment): boolean => deletedAt === null;
  // Nearly always the first one: texts are long.
  const comment =
    comments.listThread(number, 0, 1).find(isThere) ?? comments.listThread(number, 0, passedOver).find(isThere);
  return comment === undefined ? undefined : { comment, answers: comments.countIn(number) - 1 };
}

export interface ListOpenThreadsInput {
  readonly location: Location;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

export interface OpenThreads extends Page<OpenThread> {
  readonly documentId: string;
}

/** The open threads on a document, the oldest first, with the present positions of their passages. Reader. */
export const listOpenThreads: ReadOperation<ListOpenThreadsInput, OpenThreads> = {
  kind: 'read',
  name: listComments.name,
  isHeavy: true,
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location }) => ({ target: location, detail: { which: 'open' } }),
  async run({ view, workspace }, { location, after, limit }) {
    const document = view.document(location);
    if (document === undefined) throw notFound();
    const found = view.tables.comments.openThreads(document.number, decodeNumber(after), limit + 1);
    const { items, next } = makePage(found, limit, encodeNumber);
    const openings = items.map((thread) => ({ thread, opening: findOpening(view, thread) }));
    const places = await findPlaces(workspace, document.current, items.filter(isQuoted));
    const threads = openings.flatMap(({ thread, opening }) => {
      if (opening === undefined) return [];
      const { comment, answers } = opening;
      return [{ threadId: thread.id, anchor: describeAnchor(thread, places), comment: toComment(comment), answers }];
    });
    return { items: threads, next, documentId: document.id };
  },
  noteResult: ({ documentId }) => ({ documentId }),
};
