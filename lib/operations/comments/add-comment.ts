import { maxCommentLength, maxMentions, maxQuoteLength, type Comment, type Quote } from '../../domain/comment.js';
import type { Document } from '../../domain/document.js';
import { makeIdentifier } from '../../domain/identifier.js';
import type { Location } from '../../domain/location.js';
import { contextLength, makeQuote, PassageFinder } from '../../text/passage.js';
import { conflict, invalidRequest, notFound } from '../../domain/refusal.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import type { StoredComment } from '../../sidecar/tables/comment-table.js';
import type { WriteContext } from '../../changes/write-context.js';
import { takeDiscussionRoom } from '../../changes/quota.js';
import type { WriteOperation } from '../operation.js';
import { readVersionText } from '../documents/read-text.js';
import { requirePlain } from '../require-visible.js';

/** The passage of a comment, as its writer sees it. */
export interface PassageInput {
  readonly quote: string;
  /** The text right before and after it, to tell it from the same words elsewhere. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Its position, in UTF-16 units: a hint. */
  readonly start?: number | undefined;
  /** The version that the writer saw. Left out: the current one. */
  readonly versionId?: string | undefined;
}

export interface AddCommentInput {
  readonly location: Location;
  readonly text: string;
  /** Left out: the comment is about the whole document. Not with `threadId`. */
  readonly passage?: PassageInput | undefined;
  /** The thread of an answer. Left out: a new thread. */
  readonly threadId?: string | undefined;
  /** Ids of the principals mentioned. */
  readonly mentions: readonly string[];
}

/** The result of a change of comments. */
export interface ChangedComment {
  readonly comment: Comment;
  readonly documentId: string;
  /** Internal; never leaves the service. */
  readonly documentNumber: number;
}

/**
 * The stored answer for a retry. It lacks the comment's text, which lies in one place only, so that it can be deleted.
 */
type Kept = Omit<ChangedComment, 'comment'> & { readonly commentId: string };

/** Maximum of comments in one thread. */
const maxThreadComments = 500;

/**
 * A comment's text, with LF line ends and without surrounding blanks.
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
export function parseComment(text: string): string {
  const parsed = text.replace(/\r\n?/g, '\n').trim();
  if (parsed === '' || parsed.length > maxCommentLength || /\p{Surrogate}/u.test(parsed)) {
    throw invalidRequest('bad_field', `A comment is text of 1 to ${maxCommentLength} characters.`, {
      input: 'comment',
    });
  }
  requirePlain(parsed, { input: 'comment' });
  return parsed;
}

/** @returns each id once. @throws Refusal INVALID_REQUEST `bad_field` */
export function parseMentions(mentions: readonly string[]): string[] {
  if (mentions.length > maxMentions || mentions.some((id) => !/^[A-Za-z0-9_-]{1,64}$/.test(id))) {
    throw invalidRequest('bad_field', `A comment mentions at most ${maxMentions} principals, by their ids.`, {
      input: 'mentions',
    });
  }
  return [...new Set(mentions)];
}

/** The passage's position in the text. @throws Refusal INVALID_REQUEST `bad_field`, `quote_not_found` */
function* anchor(text: string, { quote, before = '', after = '', start = 0 }: PassageInput): Generator<void, Quote> {
  if (quote.trim() === '' || quote.length > maxQuoteLength || !Number.isInteger(start) || start < 0) {
    throw invalidRequest('bad_field', `A quote is 1 to ${maxQuoteLength} characters of the document.`, {
      field: 'quote',
    });
  }
  const passage = yield* new PassageFinder(text).find({
    text: quote,
    before: before.slice(-contextLength),
    after: after.slice(0, contextLength),
    start,
  });
  if (passage === undefined) {
    throw invalidRequest('quote_not_found', 'The quote does not stand in this version of the document.', {
      field: 'quote',
    });
  }
  return makeQuote(text, passage);
}

/**
 * Addresses a comment to the principals that it mentions or answers. An unknown id is stored too, and so is one of a
 * principal that may not read the document. Both reach no principal: the answer must not reveal the existing ids.
 */
export function addressComment(
  context: WriteContext,
  comment: Pick<StoredComment, 'number' | 'thread'>,
  documentNumber: number,
  mentions: readonly string[],
): void {
  const { transaction } = context;
  const { comments } = transaction.tables;
  const answered = findAnswered(context, comment, documentNumber);
  if (answered !== undefined && !mentions.includes(answered)) {
    comments.address(comment.number, { principal: answered, why: 'reply' }, transaction.now);
  }
  for (const principal of mentions) comments.address(comment.number, { principal, why: 'mention' }, transaction.now);
}

/** The principal that began the thread, if the author's comment is an answer to it. */
export function findAnswered(
  { transaction, author }: WriteContext,
  { thread }: Pick<StoredComment, 'thread'>,
  documentNumber: number,
): string | undefined {
  const [first] = transaction.tables.comments.list(documentNumber, 'all', { thread, comment: 0 }, 1);
  return first === undefined || first.author.id === author.id || first.deletedAt !== null ? undefined : first.author.id;
}

/** The document at the location as the caller sees it in its transaction. @throws Refusal NOT_FOUND */
export function requireReadable(context: WriteContext, location: Location): Document {
  const document = context.view.document(location);
  if (document === undefined) throw notFound();
  return document;
}

/** A comment written in this transaction, for its answer and its record. */
export function describeComment(context: WriteContext, document: Document, commentId: string): ChangedComment {
  const stored = context.transaction.tables.comments.find(commentId);
  if (stored === undefined) throw new Error('The comment that was just written is not there.');
  return { comment: toComment(stored), documentId: document.id, documentNumber: document.number };
}

/** Without the numbers of rows. */
export function toComment({ number: _number, thread: _thread, ...comment }: StoredComment): Comment {
  return comment;
}

export const noteOfComment = ({ comment, documentId }: ChangedComment) => ({
  documentId,
  detail: { comment: comment.id, thread: comment.threadId },
});

/** Starts a thread on a document or a passage of it, or answers in a thread. Reader. */
export const addComment: WriteOperation<AddCommentInput, ChangedComment, Quote | null> = {
  kind: 'write',
  name: 'comment.add',
  isHeavy: true,
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location }) => ({ target: location }),
  async prepare({ view, workspace }, { location, passage, threadId }) {
    if (passage === undefined) return null;
    if (threadId !== undefined) {
      throw invalidRequest('bad_field', 'An answer is about the passage that its thread is about.', { field: 'quote' });
    }
    const document = view.document(location);
    if (document === undefined) throw notFound();
    const { versionId } = passage;
    const version = versionId === undefined ? document.current : view.version(document, versionId);
    if (version === undefined) throw notFound();
    const text = await readVersionText(workspace, version);
    if (text === undefined) {
      throw invalidRequest('not_text', 'Passages can be quoted from text of up to 1 MiB; comment on the document.', {
        field: 'quote',
      });
    }
    return runCooperatively(anchor(text, passage));
  },
  run(context, input, quote) {
    const { comments } = context.transaction.tables;
    const text = parseComment(input.text);
    const mentions = parseMentions(input.mentions);
    const document = requireReadable(context, input.location);
    const thread = input.threadId === undefined ? undefined : comments.findThread(input.threadId);
    if (input.threadId !== undefined && thread?.document !== document.number) throw notFound();
    if (thread !== undefined && comments.countIn(thread.number) >= maxThreadComments) {
      throw conflict('thread_full', `A thread has at most ${maxThreadComments} comments. Start another one.`);
    }
    takeDiscussionRoom(context, text);
    const threadNumber =
      thread?.number ??
      comments.insertThread(makeIdentifier('thr', context.transaction.randomness), document.number, quote);
    const id = makeIdentifier('cmt', context.transaction.randomness);
    const number = comments.insert(id, threadNumber, context.author.id, text, context.transaction.now);
    context.transaction.tables.activities.add({
      kind: 'comment_added',
      document: document.number,
      actor: context.author.id,
    });
    addressComment(context, { number, thread: threadNumber }, document.number, mentions);
    return describeComment(context, document, id);
  },
  noteResult: noteOfComment,
  stored: {
    keep: ({ comment, documentId, documentNumber }) => ({ commentId: comment.id, documentId, documentNumber }),
    recall(context, kept) {
      const { commentId, ...document } = kept as Kept;
      const stored = context.transaction.tables.comments.find(commentId);
      if (stored === undefined) throw notFound();
      return { comment: toComment(stored), ...document };
    },
  },
  documentNumber: ({ documentNumber }) => documentNumber,
};
