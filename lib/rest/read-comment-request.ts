import { parseLocation, type Location } from '../domain/location.js';
import type { AddCommentInput } from '../operations/comments/add-comment.js';
import type { EditCommentInput, ResolveThreadInput } from '../operations/comments/change-comment.js';
import type { ListCommentsInput } from '../operations/comments/list-comments.js';
import { readPlace } from './read-history-request.js';
import { readPage } from './read-page.js';
import type { CheckedRequest } from './checked-request.js';

/** The body CommentCreate; the description requires its location and its text. */
interface SentComment {
  readonly location: string;
  readonly text: string;
  readonly thread_id?: string;
  readonly passage?: {
    readonly quote: string;
    readonly before?: string;
    readonly after?: string;
    readonly start?: number;
    readonly version?: string;
  };
  readonly mentions?: readonly string[];
}

/**
 * The document and which threads from the query; with a version, where their passages stand in that one.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_cursor`
 */
export function readListCommentsRequest(request: CheckedRequest): ListCommentsInput {
  const { which, version } = request.query as { readonly which: 'all' | 'open'; readonly version?: string };
  return { location: readPlace(request), which, versionId: version, ...readPage(request) };
}

/**
 * The body CommentCreate: a new thread, about a passage or about the whole document, or an answer in a thread.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function readAddCommentRequest({ body }: CheckedRequest): AddCommentInput {
  const sent = (body.form === 'json' ? body.value : { location: '', text: '' }) as SentComment;
  const { location, text, thread_id, passage, mentions = [] } = sent;
  if (passage === undefined) return { location: parseLocation(location), text, threadId: thread_id, mentions };
  const { version, ...quoted } = passage;
  const place = { ...quoted, versionId: version };
  return { location: parseLocation(location), text, threadId: thread_id, passage: place, mentions };
}

/** The comment or thread that the query names; the description requires it. */
const readId = ({ query }: CheckedRequest): string => (query as { readonly id: string }).id;

/** The body CommentUpdate. */
export function readEditCommentRequest(request: CheckedRequest): EditCommentInput {
  const { text, mentions = [] } = (request.body.form === 'json' ? request.body.value : { text: '' }) as {
    readonly text: string;
    readonly mentions?: readonly string[];
  };
  return { location: readPlace(request), commentId: readId(request), text, mentions };
}

/**
 * The document and the comment that the query names.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function readDeleteCommentRequest(request: CheckedRequest): {
  readonly location: Location;
  readonly commentId: string;
} {
  return { location: readPlace(request), commentId: readId(request) };
}

/** The body ThreadUpdate. */
export function readResolveThreadRequest(request: CheckedRequest): ResolveThreadInput {
  const { resolved } = (request.body.form === 'json' ? request.body.value : { resolved: false }) as {
    readonly resolved: boolean;
  };
  return { location: readPlace(request), threadId: readId(request), resolved };
}
