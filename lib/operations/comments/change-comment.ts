import type { Thread } from '../../domain/comment.js';
import type { Document } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import { roleContains, type Role } from '../../domain/role.js';
import type { StoredComment } from '../../sidecar/tables/comment-table.js';
import type { WriteContext } from '../../changes/write-context.js';
import {
  addressComment,
  describeComment,
  findAnswered,
  noteOfComment,
  parseComment,
  parseMentions,
  requireReadable,
  type ChangedComment,
} from './add-comment.js';
import { takeDiscussionRoom } from '../../changes/quota.js';
import type { WriteOperation } from '../operation.js';

interface NamedComment {
  readonly location: Location;
  readonly commentId: string;
}

interface FoundComment {
  readonly document: Document;
  readonly stored: StoredComment;
}

/** An existing comment on the document at the location. @throws Refusal NOT_FOUND */
function requireComment(context: WriteContext, { location, commentId }: NamedComment): FoundComment {
  const document = requireReadable(context, location);
  const stored = context.transaction.tables.comments.find(commentId);
  const thread = stored === undefined ? undefined : context.transaction.tables.comments.findThread(stored.threadId);
  if (stored === undefined || stored.deletedAt !== null || thread?.document !== document.number) throw notFound();
  return { document, stored };
}

/**
 * Requires the comment's author, or the role on the document. `perform` cannot check this: it reads needs from the
 * request alone, and only the row names the author.
 * @throws Refusal NOT_FOUND
 */
function requireOwnOr(context: WriteContext, authorId: string, role: Role, location: Location): void {
  if (authorId === context.caller.principalId) return;
  if (!roleContains(context.view.roleAt(location), role)) throw notFound();
}

const needs = ({ location }: { readonly location: Location }) => [{ role: 'reader', location }] as const;

export interface EditCommentInput extends NamedComment {
  readonly text: string;
  readonly mentions: readonly string[];
}

/** Replaces the text and mentions of the caller's own comment. Newly mentioned principals learn of it now. Reader. */
export const editComment: WriteOperation<EditCommentInput, ChangedComment> = {
  kind: 'write',
  name: 'comment.edit',
  needs,
  note: ({ location, commentId }) => ({ target: location, detail: { comment: commentId } }),
  run(context, input) {
    const { comments } = context.transaction.tables;
    const text = parseComment(input.text);
    const mentions = parseMentions(input.mentions);
    const { document, stored } = requireComment(context, input);
    if (stored.author.id !== context.caller.principalId) throw notFound();
    takeDiscussionRoom(context, text);
    comments.setText(stored.number, text, context.transaction.now);
    comments.keepMentions(stored.number, mentions, findAnswered(context, stored, document.number));
    addressComment(context, stored, document.number, mentions);
    return describeComment(context, document, stored.id);
  },
  noteResult: noteOfComment,
};

export interface DeletedComment {
  readonly commentId: string;
  readonly documentId: string;
  /** Whether another principal's comment was deleted. */
  readonly moderated: boolean;
}

/**
 * Deletes the caller's own comment or, for an approver, any comment. Its text is gone. If it has answers, its place in
 * the thread stays. Reader, or approver.
 */
export const deleteComment: WriteOperation<NamedComment, DeletedComment> = {
  kind: 'write',
  name: 'comment.delete',
  needs,
  note: ({ location, commentId }) => ({ target: location, detail: { comment: commentId } }),
  run(context, input) {
    const { document, stored } = requireComment(context, input);
    requireOwnOr(context, stored.author.id, 'approver', input.location);
    context.transaction.tables.comments.delete(stored, context.transaction.now);
    const moderated = stored.author.id !== context.caller.principalId;
    return { commentId: stored.id, documentId: document.id, moderated };
  },
  noteResult: ({ commentId, documentId, moderated }) => ({ documentId, detail: { comment: commentId, moderated } }),
};

export interface ResolveThreadInput {
  readonly location: Location;
  readonly threadId: string;
  /** False opens it again. */
  readonly resolved: boolean;
}

export interface ResolvedThread {
  readonly threadId: string;
  readonly documentId: string;
  readonly resolved: Thread['resolved'];
}

/** Marks a thread as settled, or opens it again. For the thread's author or an editor. */
export const resolveThread: WriteOperation<ResolveThreadInput, ResolvedThread> = {
  kind: 'write',
  name: 'comment.resolve',
  needs,
  note: ({ location, threadId, resolved }) => ({ target: location, detail: { thread: threadId, resolved } }),
  run(context, { location, threadId, resolved }) {
    const { activities, comments } = context.transaction.tables;
    const document = requireReadable(context, location);
    const thread = comments.findThread(threadId);
    if (thread?.document !== document.number) throw notFound();
    const [first] = comments.list(document.number, 'all', { thread: thread.number, comment: 0 }, 1);
    requireOwnOr(context, first?.author.id ?? '', 'editor', location);
    const isSo = (thread.resolved !== null) === resolved;
    const next = isSo ? thread.resolved : resolved ? { at: context.transaction.now, by: context.author.id } : null;
    if (!isSo) {
      comments.setResolved(thread.number, next);
      activities.add({ kind: 'comment_settled', document: document.number, actor: context.author.id });
    }
    return { threadId, documentId: document.id, resolved: next };
  },
  noteResult: ({ threadId, documentId, resolved }) => ({
    documentId,
    detail: { thread: threadId, resolved: resolved !== null },
  }),
};
