import { parseLocation } from '../../domain/location.js';
import { addComment, type AddCommentInput, type ChangedComment } from '../../operations/comments/add-comment.js';
import {
  deleteComment,
  editComment,
  resolveThread,
  type DeletedComment,
  type EditCommentInput,
  type ResolvedThread,
  type ResolveThreadInput,
} from '../../operations/comments/change-comment.js';
import { listComments, type ListCommentsInput } from '../../operations/comments/list-comments.js';
import { toCommentRecord, toListedCommentRecord, toResolutionRecord } from '../../records/comment-record.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import { jsonOf } from '../requests/checked-request.js';
import type { RequestOf } from '../requests/described-request.js';
import { jsonPost, route, type Route } from '../route.js';

import { presentPage, readPage } from './page-query.js';
import { readLocation } from './read-location.js';

/**
 * The document and the wanted threads from the query; with a version, the places of their passages in it.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_cursor`
 */
function readListing(request: RequestOf<'listComments'>): ListCommentsInput {
  const { which, version } = request.query;
  return { location: readLocation(request), which, versionId: version, ...readPage(request) };
}

/**
 * The body CommentCreate: a new thread, about a passage or about the whole document, or an answer in a thread.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
function readAddition(request: RequestOf<'addComment'>): AddCommentInput {
  const { location, text, thread_id, passage, mentions = [] } = jsonOf(request);
  if (passage === undefined) return { location: parseLocation(location), text, threadId: thread_id, mentions };
  const { version, ...quoted } = passage;
  const place = { ...quoted, versionId: version };
  return { location: parseLocation(location), text, threadId: thread_id, passage: place, mentions };
}

/** The body CommentUpdate. */
function readEdit(request: RequestOf<'editComment'>): EditCommentInput {
  const { text, mentions = [] } = jsonOf(request);
  return { location: readLocation(request), commentId: request.query.id, text, mentions };
}

/** The body ThreadUpdate. */
function readResolution(request: RequestOf<'resolveThread'>): ResolveThreadInput {
  const { resolved } = jsonOf(request);
  return { location: readLocation(request), threadId: request.query.id, resolved };
}

/** Location leads to the comments on the document. */
function presentAddedComment({ comment }: ChangedComment, request: RequestOf<'addComment'>): Answer {
  const { location } = jsonOf(request);
  const query = new URLSearchParams({ location });
  return answerJson(201, toCommentRecord(comment), { Location: `/comments?${query.toString()}` });
}

function presentEditedComment({ comment }: ChangedComment): Answer {
  return answerJson(200, toCommentRecord(comment));
}

function presentDeletedComment({ commentId }: DeletedComment): Answer {
  return answerJson(200, { deleted: true, id: commentId });
}

function presentThread({ threadId, resolved }: ResolvedThread): Answer {
  return answerJson(200, { id: threadId, resolved: toResolutionRecord(resolved) });
}

const changed = { method: 'PUT', takes: ['json'] } as const;

/** Comments on one document, and their threads. */
export const commentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/comments',
    operation: listComments,
    read: readListing,
    present: presentPage(toListedCommentRecord),
  }),
  route({
    ...jsonPost,
    path: '/comments',
    operation: addComment,
    read: readAddition,
    present: presentAddedComment,
  }),
  route({ ...changed, path: '/comments', operation: editComment, read: readEdit, present: presentEditedComment }),
  route({
    method: 'DELETE',
    path: '/comments',
    operation: deleteComment,
    read: (request) => ({ location: readLocation(request), commentId: request.query.id }),
    present: presentDeletedComment,
  }),
  route({ ...changed, path: '/threads', operation: resolveThread, read: readResolution, present: presentThread }),
];
