import type { Thread } from '../../domain/comment.js';
import type { Document } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import { roleContains, type Role } from '../../domain/role.js';
import type { StoredComment } from '../../sidecar/tables/comment-table.js';
import type { Pen } from '../../changes/write-context.js';
import {
  addressComment,
  describeComment,
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

/** A comment on the document at the location that is not deleted. @throws Refusal NOT_FOUND */
function requireComment(pen: Pen, { location, commentId }: NamedComment): FoundComment {
  const document = requireReadable(pen, location);
  const stored = pen.turn.tables.comments.find(commentId);
  const thread = stored === undefined ? undefined : pen.turn.tables.comments.findThread(stored.threadId);
  if (stored === undefined || stored.deletedAt !== null || thread?.document !== document.number) throw notFound();
  return { document, stored };
}

/**
 * Lets pass whoever wrote it, and others with that role on the document. No need that the door could ask: whose comment
 * it is stands in its row, and needs are read off the request alone.
 * @throws Refusal NOT_FOUND
 */
function requireOwnOr(pen: Pen, authorId: string, role: Role, location: Location): void {
  if (authorId === pen.caller.principalId) return;
  if (!roleContains(pen.view.roleAt(location), role)) throw notFound();
}

const needs = ({ location }: { readonly location: Location }) => [{ role: 'reader', location }] as const;

export interface EditCommentInput extends NamedComment {
  readonly text: string;
  readonly mentions: readonly string[];
}

/** Gives one's own comment another text, and other mentions: whom it did not mention before hears of it now. Reader. */
export const editComment: WriteOperation<EditCommentInput, ChangedComment> = {
  kind: 'write',
  name: 'comment.edit',
  needs,
  note: ({ location, commentId }) => ({ target: location, detail: { comment: commentId } }),
  run(pen, input) {
    const { comments } = pen.turn.tables;
    const text = parseComment(input.text);
    const mentions = parseMentions(input.mentions);
    const { document, stored } = requireComment(pen, input);
    if (stored.author.id !== pen.caller.principalId) throw notFound();
    takeDiscussionRoom(pen, text);
    comments.setText(stored.number, text, pen.turn.now);
    comments.keepMentions(stored.number, mentions);
    addressComment(pen, stored, document.number, mentions);
    return describeComment(pen, document, stored.id);
  },
  noteResult: noteOfComment,
};

export interface DeletedComment {
  readonly commentId: string;
  readonly documentId: string;
  /** Whether somebody else's was taken away. */
  readonly moderated: boolean;
}

/**
 * Takes away one's own comment, or as approver anybody's. Its text is gone; where others have answered, its place in
 * the thread stays. Reader, or approver.
 */
export const deleteComment: WriteOperation<NamedComment, DeletedComment> = {
  kind: 'write',
  name: 'comment.delete',
  needs,
  note: ({ location, commentId }) => ({ target: location, detail: { comment: commentId } }),
  run(pen, input) {
    const { document, stored } = requireComment(pen, input);
    requireOwnOr(pen, stored.author.id, 'approver', input.location);
    pen.turn.tables.comments.delete(stored, pen.turn.now);
    const moderated = stored.author.id !== pen.caller.principalId;
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

/** Marks a thread as settled, or opens it again: who started it, or an editor. */
export const resolveThread: WriteOperation<ResolveThreadInput, ResolvedThread> = {
  kind: 'write',
  name: 'comment.resolve',
  needs,
  note: ({ location, threadId, resolved }) => ({ target: location, detail: { thread: threadId, resolved } }),
  run(pen, { location, threadId, resolved }) {
    const { comments } = pen.turn.tables;
    const document = requireReadable(pen, location);
    const thread = comments.findThread(threadId);
    if (thread?.document !== document.number) throw notFound();
    const [first] = comments.list(document.number, 'all', { thread: thread.number, comment: 0 }, 1);
    requireOwnOr(pen, first?.author.id ?? '', 'editor', location);
    const isSo = (thread.resolved !== null) === resolved;
    const next = isSo ? thread.resolved : resolved ? { at: pen.turn.now, by: pen.author.id } : null;
    if (!isSo) comments.setResolved(thread.number, next);
    return { threadId, documentId: document.id, resolved: next };
  },
  noteResult: ({ threadId, documentId, resolved }) => ({
    documentId,
    detail: { thread: threadId, resolved: resolved !== null },
  }),
};
