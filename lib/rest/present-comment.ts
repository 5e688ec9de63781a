import { formatTime } from '../domain/clock.js';
import type { Comment, CommentAnchor, ListedComment, Thread } from '../domain/comment.js';
import type { ChangedComment } from '../operations/comments/add-comment.js';
import type { DeletedComment, ResolvedThread } from '../operations/comments/change-comment.js';
import { answerJson, type Answer } from './answer.js';
import { presentAuthor } from './present-document.js';
import type { CheckedRequest } from './checked-request.js';

const timeOrNull = (at: number | null): string | null => (at === null ? null : formatTime(at));

/** The description's `Comment`. */
function presentComment({ id, threadId, isFirst, author, text, createdAt, editedAt, deletedAt, mentions }: Comment) {
  return {
    id,
    thread_id: threadId,
    is_first: isFirst,
    author: presentAuthor(author),
    text,
    created_at: formatTime(createdAt),
    edited_at: timeOrNull(editedAt),
    deleted_at: timeOrNull(deletedAt),
    mentions,
  };
}

function presentAnchor(anchor: CommentAnchor): object {
  if (anchor.type !== 'passage') return anchor;
  const { start, end, line, lastLine } = anchor.place;
  return { type: anchor.type, quote: anchor.quote, start, end, line, last_line: lastLine };
}

function presentResolution(resolved: Thread['resolved']): object | null {
  return resolved === null ? null : { at: formatTime(resolved.at), by: resolved.by };
}

/** The description's `ListedComment`. */
export function presentListedComment({ comment, anchor, resolved }: ListedComment): object {
  return { ...presentComment(comment), anchor: presentAnchor(anchor), resolved: presentResolution(resolved) };
}

/** Location leads to the comments on the document. */
export function presentAddedComment({ comment }: ChangedComment, { body }: CheckedRequest): Answer {
  const { location } = (body.form === 'json' ? body.value : { location: '' }) as { readonly location: string };
  const query = new URLSearchParams({ location });
  return answerJson(201, presentComment(comment), { Location: `/v1/comments?${query.toString()}` });
}

export function presentEditedComment({ comment }: ChangedComment): Answer {
  return answerJson(200, presentComment(comment));
}

export function presentDeletedComment({ commentId }: DeletedComment): Answer {
  return answerJson(200, { deleted: true, id: commentId });
}

export function presentThread({ threadId, resolved }: ResolvedThread): Answer {
  return answerJson(200, { id: threadId, resolved: presentResolution(resolved) });
}
