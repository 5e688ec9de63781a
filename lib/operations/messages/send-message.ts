import { createHash } from 'node:crypto';
import type { Subject } from '../../domain/grant.js';
import { makeIdentifier } from '../../domain/identifier.js';
import type { Location } from '../../domain/location.js';
import { maxMessageLength, maxSubjectLength, maxAddressed, type ListedMessage } from '../../domain/message.js';
import { invalidRequest, notFound, tooManyMessages } from '../../domain/refusal.js';
import type { MessageTopic, StoredMessage, StoredMessageThread } from '../../sidecar/tables/message-table.js';
import type { WriteContext } from '../../changes/write-context.js';
import { takeDiscussionRoom } from '../../changes/quota.js';
import type { View } from '../../view/view.js';
import { MessagePresenter } from './describe-message.js';
import { findAddressee, mayWriteTo, resolveRecipients, toSubject } from './find-recipients.js';
import type { WriteOperation } from '../operation.js';
import { requirePlain, requireVisible } from '../require-visible.js';

const hour = 60 * 60 * 1000;

/** Messages of one sender in an hour: to one addressee, and to all. */
const maxToOne = 60;

const maxToAll = 300;

export interface SendMessageInput {
  /** Principals and groups, by their ids or names. Left out with `threadId`: the participants of the thread's newest message. */
  readonly to?: readonly string[] | undefined;
  /** Needed for a new thread; not with `threadId`. */
  readonly subject?: string | undefined;
  readonly body: string;
  /** A document or folder as topic of the new thread; not with `threadId`. */
  readonly about?: Location | undefined;
  /** The thread of an answer. Left out: a new thread. */
  readonly threadId?: string | undefined;
}

export interface SentMessage {
  /** Names its topic only if the sender did: by the time of a replay, the topic may be out of the sender's reach. */
  readonly message: ListedMessage;
  /** Whether it already existed: the same message from the same sender, sent a moment before. */
  readonly isRepeated: boolean;
  /** Ids of the thread's messages that the sender had not marked as read, and now has by answering. */
  readonly markedRead: readonly string[];
  /**
   * The document that is the thread's topic, so that an erase finds the stored answer. Internal; never leaves the
   * service.
   */
  readonly documentNumber: number | null;
  readonly documentId: string | null;
}

/** Milliseconds in which the same message again counts as a retry. */
const repeatedWithin = 10 * 60 * 1000;
/** Of a thread's messages, the newest so many are marked as read by an answer. */
const markedByAnswer = 100;

/** An id, or a name in one line. */
const addressPattern = /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u;

const badField = (field: string, message: string) => invalidRequest('bad_field', message, { field });

/** The text with LF line ends and without surrounding blanks. @throws Refusal INVALID_REQUEST `bad_field` */
function parseBody(text: string): string {
  const body = text.replace(/\r\n?/g, '\n').trim();
  if (body === '' || body.length > maxMessageLength || /\p{Surrogate}/u.test(body)) {
    throw badField('body', `A message is text of 1 to ${maxMessageLength} characters.`);
  }
  requirePlain(body, { field: 'body' });
  return body;
}

/** @throws Refusal INVALID_REQUEST `bad_field` */
function parseSubject(text: string | undefined): string {
  const subject = (text ?? '').trim();
  if (subject === '' || subject.length > maxSubjectLength || /[\t\n\p{Surrogate}]/u.test(subject)) {
    throw badField('subject', `A new thread has a subject: one line of 1 to ${maxSubjectLength} characters.`);
  }
  requireVisible(subject, { field: 'subject' });
  return subject;
}

/** @throws Refusal INVALID_REQUEST `bad_field` */
function requireAddressed(to: readonly string[]): void {
  if (to.length > 0 && to.length <= maxAddressed && to.every((text) => addressPattern.test(text))) return;
  throw badField('to', `A message is addressed to 1 to ${maxAddressed} principals or groups, by their ids or names.`);
}

/** The topic of a new thread. @throws Refusal NOT_FOUND for one that the sender cannot read */
function findTopic(view: View, about: Location | undefined): MessageTopic | null {
  if (about === undefined) return null;
  const document = view.document(about);
  const folder = view.folder(about);
  if (document !== undefined) return { type: 'document', number: document.number };
  if (folder === undefined) throw notFound();
  return { type: 'folder', location: folder.location };
}

/** The thread, and its newest message sent or received by the caller. @throws Refusal NOT_FOUND */
function requireThread(
  context: WriteContext,
  threadId: string,
): { thread: StoredMessageThread; newest: StoredMessage } {
  const { messages } = context.transaction.tables;
  const thread = messages.findThread(threadId);
  const [newest] = messages.listThread(context.caller.principalId, thread?.number ?? 0, Number.MAX_SAFE_INTEGER, 1);
  if (thread === undefined || newest === undefined) throw notFound();
  return { thread, newest };
}

/**
 * The recipients of an answer: all participants of the message, except the caller and those to whom it may not write.
 */
function addresseesOfAnswer(context: WriteContext, newest: StoredMessage): Subject[] {
  const between: readonly Subject[] = [{ type: 'principal', id: newest.from.id }, ...newest.addressed];
  const ids = new Set(between.map(({ id }) => id));
  ids.delete(context.caller.principalId);
  return [...ids].map(toSubject).filter((subject) => mayWriteTo(context, subject));
}

/**
 * @returns each subject once
 * @throws Refusal NOT_FOUND when one of them does not exist, or the caller may not write to it; INVALID_REQUEST
 * `bad_field`
 */
function findAddressees(context: WriteContext, to: readonly string[]): Subject[] {
  requireAddressed(to);
  const found = [...new Set(to)].map((text) => findAddressee(context, text));
  const subjects = found.filter((subject) => subject !== undefined);
  if (subjects.length < found.length) throw notFound();
  return [...new Map(subjects.map((subject) => [subject.id, subject])).values()];
}

/** Marks what the sender got in the thread as read, among its newest messages. @returns the ids of those */
function markThread({ transaction, caller }: WriteContext, thread: number): string[] {
  const { messages } = transaction.tables;
  const newest = messages.listThread(caller.principalId, thread, Number.MAX_SAFE_INTEGER, markedByAnswer);
  const unread = newest.filter(({ isRead }) => isRead === false);
  for (const { number } of unread) messages.setRead(caller.principalId, number, true);
  return unread.map(({ id }) => id);
}

/**
 * Sends a message to principals and groups to whom the caller may write (find-recipients.ts). It starts a thread or
 * answers in one. All other principals look like an unknown id. Groups are resolved at that time: later members do not
 * get it, and former members keep it. An answer marks its thread's messages as read by the sender.
 * @throws Refusal NOT_FOUND; RATE_LIMITED; INVALID_REQUEST `bad_field`, `too_many_recipients`
 */
export const sendMessage: WriteOperation<SendMessageInput, SentMessage> = {
  kind: 'write',
  name: 'message.send',
  needs: ({ about }) => (about === undefined ? [] : [{ role: 'reader', location: about }]),
  note: ({ about, to, threadId }) => ({
    ...(about === undefined ? {} : { target: about }),
    detail: { to: to ?? null, thread: threadId ?? null },
  }),
  run(context, input) {
    const { tables, randomness, now } = context.transaction;
    const { messages } = tables;
    const sender = context.caller.principalId;
    const body = parseBody(input.body);
    if (input.threadId !== undefined && (input.subject !== undefined || input.about !== undefined)) {
      throw badField(
        input.subject === undefined ? 'about' : 'subject',
        'An answer has the subject of its thread, and is about what that is about.',
      );
    }
    const subject = input.threadId === undefined ? parseSubject(input.subject) : '';
    const answered = input.threadId === undefined ? undefined : requireThread(context, input.threadId);
    if (input.to === undefined && answered === undefined) throw badField('to', 'Say whom the message goes to.');
    const topic = answered === undefined ? findTopic(context.view, input.about) : answered.thread.about;
    const addressed =
      input.to === undefined && answered !== undefined
        ? addresseesOfAnswer(context, answered.newest)
        : findAddressees(context, input.to ?? []);
    if (addressed.length === 0) throw notFound();
    const show = (id: string, isRepeated: boolean, markedRead: readonly string[] = []): SentMessage => {
      const stored = messages.find(sender, id);
      if (stored === undefined) throw new Error('The message that was just written is not there.');
      const { about } = stored.thread;
      const documentNumber = about?.type === 'document' ? about.number : null;
      const documentId = documentNumber === null ? null : (tables.documents.byNumber(documentNumber)?.id ?? null);
      const message = new MessagePresenter(context.view, context.caller).list(stored);
      return {
        message: { ...message, about: input.about ?? null },
        isRepeated,
        markedRead,
        documentNumber,
        documentId,
      };
    };
    const digest = createHash('sha256')
      .update(JSON.stringify([input.threadId ?? null, input.to ?? null, subject, topic, body]))
      .digest();
    const same = messages.findSame(sender, digest, now - repeatedWithin);
    if (same !== undefined) return show(same, true);
    requireRate(context, addressed);
    const thread = answered?.thread.number ?? messages.insertThread(makeIdentifier('mth', randomness), subject, topic);
    const id = makeIdentifier('msg', randomness);
    const deliveredTo = resolveRecipients(context, addressed);
    takeDiscussionRoom(context, body, deliveredTo.size);
    const markedRead = answered === undefined ? [] : markThread(context, thread);
    messages.insert({ id, thread, sender, body, addressed, digest, sentAt: now, deliveredTo });
    return show(id, false, markedRead);
  },
  noteResult: ({ message, isRepeated, markedRead, documentId }) => ({
    ...(documentId === null ? {} : { documentId }),
    detail: {
      message: message.id,
      thread: message.threadId,
      to: message.to.map(({ id }) => id),
      ...(markedRead.length === 0 ? {} : { marked: markedRead }),
      ...(isRepeated ? { repeated: true } : {}),
    },
  }),
  documentNumber: ({ documentNumber }) => documentNumber,
};

/**
 * Keeps a sender from filling the box of others. Counts what the sender named as addressee. Deliveries are not counted:
 * they would reveal who is in a group.
 * @throws Refusal RATE_LIMITED
 */
function requireRate({ transaction, caller }: WriteContext, addressed: readonly Subject[]): void {
  const { tables, now } = transaction;
  const sent = tables.messages.listSentSince(caller.principalId, now - hour, maxToAll);
  const limits = addressed.map(
    ({ id }) => sent.filter((each) => each.addressed.some((to) => to.id === id))[maxToOne - 1],
  );
  for (const oldest of [...limits, sent[maxToAll - 1]]) {
    if (oldest !== undefined) throw tooManyMessages(Math.ceil((oldest.at + hour - now) / 1000));
  }
}
