import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import type { Comment, CommentAnchor, ListedComment, Thread } from '../domain/comment.js';
import { toAuthorRecord } from './author-record.js';

/** The description's `Comment`. */
export function toCommentRecord({
  id,
  threadId,
  isFirst,
  author,
  text,
  createdAt,
  editedAt,
  deletedAt,
  mentions,
}: Comment) {
  return {
    id,
    thread_id: threadId,
    is_first: isFirst,
    author: toAuthorRecord(author),
    text,
    created_at: formatTime(createdAt),
    edited_at: formatTimeOrNull(editedAt),
    deleted_at: formatTimeOrNull(deletedAt),
    mentions,
  };
}

function toAnchorRecord(anchor: CommentAnchor) {
  if (anchor.type !== 'passage') return anchor;
  const { start, end, line, lastLine } = anchor.place;
  return { type: anchor.type, quote: anchor.quote, start, end, line, last_line: lastLine };
}

export function toResolutionRecord(resolved: Thread['resolved']) {
  return resolved === null ? null : { at: formatTime(resolved.at), by: resolved.by };
}

/** The description's `ListedComment`. */
export function toListedCommentRecord({ comment, anchor, resolved }: ListedComment) {
  return { ...toCommentRecord(comment), anchor: toAnchorRecord(anchor), resolved: toResolutionRecord(resolved) };
}
