import type { AddressedComment, Comment, CommentAnchor } from '../domain/comment.js';
import { parseLocation } from '../domain/location.js';
import { messageNotice } from '../domain/message.js';
import { invalidRequest } from '../domain/refusal.js';
import { answerThread, settleThread, type AnsweredThread } from '../operations/comments/answer-thread.js';
import type { Remarks } from '../operations/comments/read-remarked.js';
import {
  listOpenThreads,
  readThread,
  type OpenThread,
  type OpenThreads,
  type ReadThread,
} from '../operations/comments/read-thread.js';
import { toCommentRecord } from '../records/comment-record.js';
import { firstWords } from '../text/first-words.js';
import { presentWho } from './present-document.js';
import { presentNext, readPage, toolEntry, type PageArguments, type ToolEntry, type ToolCall } from './tool.js';

interface CommentArguments extends PageArguments {
  readonly action: string;
  readonly to?: readonly string[];
  readonly body?: string;
  readonly about?: string;
  readonly thread_id?: string;
  readonly box?: string;
}

/** Comments in an answer where the caller asks for no number, and characters of their texts. */
const usualList = 20;
const maxChars = 20_000;
/** Characters of a quote, and of a comment, in a list. */
const shownOfQuote = 200;
const shownOfComment = 200;
const shownInRead = 120;

const tool = 'message';
const isCommentThread = (threadId: string | undefined): boolean => threadId?.startsWith('thr_') === true;

/** The part of a brief's comment that says what it is about. */
export function presentSubject({ quote, isResolved }: AddressedComment): object {
  return {
    ...(quote === null ? {} : { passage: firstWords(quote, shownOfQuote) }),
    ...(isResolved ? { resolved: true } : {}),
  };
}

/** The passage of a thread: where it is, or that it is gone. Nothing for the document as a whole. */
function presentAnchor(anchor: CommentAnchor): object {
  if (anchor.type === 'document') return {};
  const passage = firstWords(anchor.quote, shownOfQuote);
  return anchor.type === 'orphaned' ? { passage, passage_lost: true } : { passage, line: anchor.place.line };
}

/** The open comments in a read of a document: in few words, since `message` reads the threads. */
export function presentRemarks({ count, threads }: Remarks): object {
  if (count === 0) return {};
  const comments = threads.map(({ threadId, anchor, comment, answers }) => ({
    thread_id: threadId,
    ...(anchor.type === 'passage' ? { line: anchor.place.line } : {}),
    ...(anchor.type === 'orphaned' ? { passage_lost: true } : {}),
    by: comment.author.displayName,
    text: firstWords(comment.text, shownInRead),
    ...(answers === 0 ? {} : { answers }),
  }));
  return { open_comments: count, ...(comments.length === 0 ? {} : { comments }) };
}

/** Its record, without what is null or the same for the whole thread. */
function presentComment(comment: Comment): object {
  const { id, text, created_at, edited_at, deleted_at } = toCommentRecord(comment);
  return {
    comment_id: id,
    from: presentWho(comment.author),
    text,
    at: created_at,
    ...(edited_at === null ? {} : { edited_at }),
    ...(deleted_at === null ? {} : { deleted: true }),
  };
}

function presentThread(read: ReadThread, call: ToolCall<CommentArguments>): object {
  const { threadId, location, anchor, resolved, items, next } = read;
  return {
    action: call.args.action,
    thread_id: threadId,
    about: location,
    ...presentAnchor(anchor),
    resolved: resolved !== null,
    comments: items.map(presentComment),
    notice: messageNotice,
    ...presentNext(next, call),
  };
}

function presentAnswered({ comment, location, isRepeat }: AnsweredThread): object {
  return {
    action: 'send',
    thread_id: comment.threadId,
    about: location,
    comments: [presentComment(comment)],
    replayed: isRepeat,
  };
}

function presentOpenThread({ threadId, anchor, comment, answers }: OpenThread): object {
  const { text, created_at } = toCommentRecord(comment);
  return {
    thread_id: threadId,
    ...presentAnchor(anchor),
    from: presentWho(comment.author),
    text: firstWords(text, shownOfComment),
    at: created_at,
    ...(answers === 0 ? {} : { answers }),
  };
}

function presentOpenThreads({ items, next }: OpenThreads, call: ToolCall<CommentArguments>): object {
  const { about } = call.args;
  return {
    action: 'list',
    about,
    threads: items.map(presentOpenThread),
    notice: messageNotice,
    ...presentNext(next, call),
  };
}

/** @throws Refusal INVALID_REQUEST `bad_field` */
function readCommentThread({ action, thread_id = '' }: CommentArguments): string {
  if (isCommentThread(thread_id)) return thread_id;
  throw invalidRequest('bad_field', `Only a thread of comments (thr_…) takes ${action}.`, { field: 'thread_id' });
}

/** Uses of the tool for messages on threads of comments, which are told by their ids. */
export const commentEntries: readonly ToolEntry[] = [
  toolEntry({
    tool,
    scope: 'org:write',
    when: ({ action, thread_id }: CommentArguments) => action === 'send' && isCommentThread(thread_id),
    takes: ['action', 'to', 'body', 'thread_id'],
    requires: ['body'],
    operation: answerThread,
    read: ({ args: { thread_id = '', body = '', to = [] } }: ToolCall<CommentArguments>) => ({
      threadId: thread_id,
      text: body,
      mentions: to,
    }),
    present: presentAnswered,
  }),
  toolEntry({
    tool,
    scope: 'org:read',
    when: ({ action, thread_id }: CommentArguments) => action === 'read' && isCommentThread(thread_id),
    takes: ['action', 'thread_id', 'cursor', 'limit'],
    operation: readThread,
    read: (call: ToolCall<CommentArguments>) => ({
      threadId: call.args.thread_id ?? '',
      ...readPage(call, usualList),
      maxChars,
    }),
    present: presentThread,
  }),
  toolEntry({
    tool,
    scope: 'org:read',
    when: ({ action, box }: CommentArguments) => action === 'list' && box === 'comments',
    takes: ['action', 'about', 'box', 'cursor', 'limit'],
    requires: ['about'],
    operation: listOpenThreads,
    read: (call: ToolCall<CommentArguments>) => ({
      location: parseLocation(call.args.about ?? '', 'about'),
      ...readPage(call, usualList),
    }),
    present: presentOpenThreads,
  }),
  toolEntry({
    tool,
    scope: 'org:write',
    when: ({ action }: CommentArguments) => action === 'resolve' || action === 'reopen',
    takes: ['action', 'thread_id'],
    requires: ['thread_id'],
    operation: settleThread,
    read: ({ args }: ToolCall<CommentArguments>) => ({
      threadId: readCommentThread(args),
      resolved: args.action === 'resolve',
    }),
    present: ({ threadId, location, resolved }, { args }) => ({
      action: args.action,
      thread_id: threadId,
      about: location,
      resolved: resolved !== null,
    }),
  }),
];
