import { formatTime } from '../domain/clock.js';
import { parseFolderLocation, parseLocation } from '../domain/location.js';
import type { Addressee, ListedMessage, Message } from '../domain/message.js';
import {
  listMessages,
  readMessages,
  readMessageThread,
  type ListMessagesInput,
  type MessagePage,
} from '../operations/messages/list-messages.js';
import { markMessages } from '../operations/messages/mark-messages.js';
import { sendMessage } from '../operations/messages/send-message.js';
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
}

const usualList = 20;
const tool = 'message';

function presentAddressee({ id, displayName }: Addressee): object {
  return { ...(id === null ? {} : { id }), ...(displayName === null ? {} : { name: displayName }) };
}

/** A message for agents: sender, addressees, subject, and its text where it was read. */
export function presentMessage(message: ListedMessage | Message): object {
  return {
    message_id: message.id,
    thread_id: message.threadId,
    from: presentWho(message.from),
    to: message.to.map(presentAddressee),
    subject: message.subject,
    ...('body' in message ? { body: message.body } : {}),
    preview: message.preview,
    ...(message.about === null ? {} : { about: message.about }),
    at: formatTime(message.sentAt),
    read: message.isRead,
  };
}

/** Reading marks nothing, and an agent has to know. */
function presentUnread(messages: readonly ListedMessage[]): object {
  if (messages.every(({ isRead }) => isRead)) return {};
  return { hint: 'Those with read: false stay unread until mark_read, or until you answer in their thread.' };
}

function presentPage(page: MessagePage<ListedMessage | Message>, call: ToolCall<MessageArguments>): object {
  const { action } = call.args;
  return {
    action,
    messages: page.items.map(presentMessage),
    notice: page.notice,
    ...(action === 'read' ? presentUnread(page.items) : {}),
    ...presentNext(page.next, call),
  };
}

function readList(call: ToolCall<MessageArguments>): ListMessagesInput {
  const { box = 'inbox', unread_only = false, about } = call.args;
  return {
    box: unread_only ? 'unread' : box,
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
    takes: ['action', 'about', 'box', 'unread_only', 'cursor', 'limit'],
    operation: listMessages,
    read: readList,
    present: presentPage,
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
    takes: ['action', 'message_ids'],
    requires: ['message_ids'],
    operation: readMessages,
    read: ({ args }: ToolCall<MessageArguments>) => ({ messageIds: args.message_ids ?? [] }),
    present: presentPage,
  }),
  toolEntry({
    tool,
    scope: 'org:write',
    takes: ['action', 'message_ids'],
    requires: ['message_ids'],
    operation: markMessages,
    read: ({ args }: ToolCall<MessageArguments>) => ({ messageIds: args.message_ids ?? [], isRead: true }),
    present: (messages) => ({ action: 'mark_read', messages: messages.map(presentMessage) }),
  }),
];
