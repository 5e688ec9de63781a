import type { Comment } from '../../domain/comment.js';
import type { Document } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { StoredThread } from '../../sidecar/tables/comment-table.js';
import type { View } from '../../view/view.js';
import { findReadable } from '../documents/read-text.js';
import type { WriteOperation } from '../operation.js';
import {
  addComment,
  describeComment,
  noteOfComment,
  parseComment,
  parseMentions,
  type ChangedComment,
} from './add-comment.js';
import { resolveThread, type ResolvedThread } from './change-comment.js';

/* Threads addressed by their id alone. Their document gives the rights, as where it is named. */

/** The thread of a document that the view shows. @throws Refusal NOT_FOUND */
export function requireThread(
  view: View,
  threadId: string,
): { readonly thread: StoredThread; readonly document: Document } {
  const { comments } = view.tables;
  const thread = comments.findThread(threadId);
  // The same steps for an unknown thread as for a hidden one: their time must not differ.
  const lookedAt = thread ?? comments.someThread();
  const document = lookedAt === undefined ? undefined : findReadable(view, lookedAt.document);
  if (thread === undefined || document === undefined) throw notFound();
  return { thread, document };
}

export interface AnswerThreadInput {
  readonly threadId: string;
  readonly text: string;
  /** Ids of the principals mentioned. */
  readonly mentions: readonly string[];
}

export interface AnsweredThread extends ChangedComment {
  readonly location: Location;
  /** Nothing was written: the same answer of the same principal is the last in the thread. */
  readonly isRepeat: boolean;
}

/** Milliseconds in which the same answer again counts as a retry. */
const repeatedWithin = 10 * 60 * 1000;

function isSame({ text, mentions }: Comment, sent: Pick<Comment, 'text' | 'mentions'>): boolean {
  return text === sent.text && mentions.toSorted().join() === sent.mentions.toSorted().join();
}

/**
 * Answers in a thread. The same answer again finds itself done, if nothing came into the thread after it: a caller
 * without an answer asks again unchanged. Reader of the document.
 */
export const answerThread: WriteOperation<AnswerThreadInput, AnsweredThread> = {
  kind: 'write',
  name: addComment.name,
  needs: () => [],
  note: ({ threadId }) => ({ target: threadId }),
  run(context, { threadId, ...sent }) {
    const { tables, now } = context.transaction;
    const text = parseComment(sent.text);
    const mentions = parseMentions(sent.mentions);
    const { thread, document } = requireThread(context.view, threadId);
    const { location } = document;
    const newest = tables.comments.newestIn(thread.number);
    const isOwn = newest?.author.id === context.author.id && newest.createdAt >= now - repeatedWithin;
    if (newest !== undefined && isOwn && isSame(newest, { text, mentions })) {
      return { ...describeComment(context, document, newest.id), location, isRepeat: true };
    }
    const added = addComment.run(context, { location, text, threadId, mentions }, null);
    return { ...added, location, isRepeat: false };
  },
  noteResult(answer) {
    const { detail, ...note } = noteOfComment(answer);
    return { target: answer.location, ...note, detail: answer.isRepeat ? { ...detail, replayed: true } : detail };
  },
};

export interface SettledThread extends ResolvedThread {
  readonly location: Location;
}

/** Marks a thread as settled, or opens it again. For the thread's author or an editor of the document. */
export const settleThread: WriteOperation<{ readonly threadId: string; readonly resolved: boolean }, SettledThread> = {
  kind: 'write',
  name: resolveThread.name,
  needs: () => [],
  note: ({ threadId, resolved }) => ({ target: threadId, detail: { resolved } }),
  run(context, { threadId, resolved }) {
    const { location } = requireThread(context.view, threadId).document;
    return { ...resolveThread.run(context, { location, threadId, resolved }, undefined), location };
  },
  noteResult: (settled) => ({ target: settled.location, ...resolveThread.noteResult?.(settled) }),
};
