import { parseFolderLocation, parseLocation } from '../domain/location.js';
import type { Addressee, ListedMessage, Message } from '../domain/message.js';
import { invalidRequest } from '../domain/refusal.js';
import {
  listMessages,
  readMessages,
  readMessageThread,
  type ListMessagesInput,
  type BoxPage,
  type MessagePage,
} from '../operations/messages/list-messages.js';
import { markMessages } from '../operations/messages/mark-messages.js';
import { sendMessage } from '../operations/messages/send-message.js';
import { toListedMessageRecord } from '../records/message-record.js';
import { fitPage, textRoom } from './answer-room.js';
import { presentWho } from './present-document.js';
import { presentNext, readPage, toolEntry, type PageArguments, type ToolEntry, type ToolCall } from './tool.js';

interface MessageArguments extends PageArguments {
  readonly action: 'send' | 'list' | 'read' | 'mark_read';
  readonly to?: readonly string[];
  readonly subject?: string;
  readonly body?: string;
  readonly about?: string;
  readonly thread_id?: string;
  readonly message_ids?: readonly string[];
  readonly box?: 'inbox' | 'sent';
  readonly unread_only?: boolean;
  readonly from?: string;
}

const usualList = 20;
const tool = 'message';

function presentAddressee({ id, displayName }: Addressee): object {
  return { ...(id === null ? {} : { id }), ...(displayName === null ? {} : { name: displayName }) };
}

/**
 * A message for agents: its record, with the addressees, and its text where it was read, or its beginning.
 * @param longest characters of the text
 */
export function presentMessage(message: ListedMessage | Message, longest = Number.POSITIVE_INFINITY): object {
  const { id, thread_id, subject, preview, about, sent_at } = toListedMessageRecord(message);
  return {
    message_id: id,
    thread_id,
    from: presentWho(message.from),
    to: message.to.map(presentAddressee),
    subject,
    ...('body' in message ? presentBody(message.body, longest) : { preview }),
    ...(about === null ? {} : { about }),
    at: sent_at,
    read: message.isRead,
  };
}

function presentBody(body: string, longest: number): object {
  if (body.length <= longest) return { body };
  return { body: body.slice(0, longest).replace(/[\ud800-\udbff]$/, ''), body_truncated: true };
}

/** Characters of each text at least, where several are read. */
const leastOfEach = 2000;

/** Reading marks nothing, and an agent has to know. */
function presentUnread(messages: readonly ListedMessage[]): object {
  if (messages.every(({ isRead }) => isRead)) return {};
  return { hint: 'Those with read: false stay unread until mark_read, or until you answer in their thread.' };
}

function presentPage<Item extends ListedMessage | Message>(
  page: MessagePage<Item>,
  call: ToolCall<MessageArguments>,
): object {
  const { action } = call.args;
  const longest = Math.max(leastOfEach, Math.floor(textRoom / page.items.length));
  const { shown, next } = fitPage(page, (message) => presentMessage(message, longest), page.positionOf, textRoom);
  return {
    action,
    messages: shown,
    notice: page.notice,
    ...(action === 'read' ? presentUnread(page.items.slice(0, shown.length)) : {}),
    ...presentNext(next, call),
  };
}

function presentBox(page: BoxPage, call: ToolCall<MessageArguments>): object {
  const unread = page.unreadFrom.map(({ from, count }) => ({ from: presentWho(from), count }));
  return { ...presentPage(page, call), ...(unread.length === 0 ? {} : { unread_from: unread }) };
}

function readList(call: ToolCall<MessageArguments>): ListMessagesInput {
  const { box = 'inbox', unread_only = false, about, from } = call.args;
  if (about !== undefined && from !== undefined) {
    throw invalidRequest('unknown_field', 'from has no meaning together with about.', { field: 'from' });
  }
  return {
    box: unread_only ? 'unread' : box,
    from,
    about: about === undefined ? undefined : parseFolderLocation(about, 'about'),
    ...readPage(call, usualList),
  };
}

export const messageEntries: readonly ToolEntry[] = [
  toolEntry({
    tool,
    scope: 'org:write',
    when: ({ action }: MessageArguments) => action === 'send',
    takes: ['action', 'to', 'subject', 'body', 'about', 'thread_id'],
    requires: ['body'],
    operation: sendMessage,
    read: ({ args: { to, subject, body = '', about, thread_id } }: ToolCall<MessageArguments>) => ({
      to,
      subject,
      body,
      about: about === undefined ? undefined : parseLocation(about, 'about'),
      threadId: thread_id,
    }),
    present: ({ message, isRepeated, markedRead }) => ({
      action: 'send',
      messages: [presentMessage(message)],
      ...(markedRead.length === 0 ? {} : { marked_read: markedRead }),
      replayed: isRepeated,
    }),
  }),
  toolEntry({
    tool,
    scope: 'org:read',
    // Without unread_only: the read marks of sent messages are their readers' own.
    when: ({ action, box }: MessageArguments) => action === 'list' && box === 'sent',
    takes: ['action', 'about', 'box', 'cursor', 'limit'],
    operation: listMessages,
    read: readList,
    present: presentPage,
  }),
  toolEntry({
    tool,
    scope: 'org:read',
    when: ({ action }: MessageArguments) => action === 'list',
    takes: ['action', 'about', 'box', 'unread_only', 'from', 'cursor', 'limit'],
    operation: listMessages,
    read: readList,
    present: presentBox,
  }),
  toolEntry({
    tool,
    scope: 'org:read',
    when: ({ action, thread_id }: MessageArguments) => action === 'read' && thread_id !== undefined,
    takes: ['action', 'thread_id', 'cursor', 'limit'],
    operation: readMessageThread,
    read: (call: ToolCall<MessageArguments>) => ({
      threadId: call.args.thread_id ?? '',
      ...readPage(call, usualList),
    }),
    present: presentPage,
  }),
  toolEntry({
    tool,
    scope: 'org:read',
    when: ({ action }: MessageArguments) => action === 'read',
    takes: ['action', 'message_ids', 'cursor'],
    requires: ['message_ids'],
    orElse: 'thread_id',
    operation: readMessages,
    read: (call: ToolCall<MessageArguments>) => ({
      messageIds: call.args.message_ids ?? [],
      after: readPage(call, usualList).after,
    }),
    present: presentPage,
  }),
  toolEntry({
    tool,
    scope: 'org:write',
    takes: ['action', 'message_ids'],
    requires: ['message_ids'],
    operation: markMessages,
    read: ({ args }: ToolCall<MessageArguments>) => ({ messageIds: args.message_ids ?? [], isRead: true }),
    present: (messages) => ({ action: 'mark_read', messages: messages.map((message) => presentMessage(message)) }),
  }),
];
