import type { Location } from '../../domain/location.js';
import { messageNotice, type ListedMessage, type Message } from '../../domain/message.js';
import { makePage, type Page } from '../../domain/page.js';
import { invalidRequest, notFound } from '../../domain/refusal.js';
import type { MessageTopic, StoredMessage, UnreadFrom } from '../../sidecar/tables/message-table.js';
import type { View } from '../../view/view.js';
import { MessagePresenter } from './describe-message.js';
import type { ReadOperation } from '../operation.js';

export type MessageBox = 'inbox' | 'unread' | 'sent';

export interface ListMessagesInput {
  readonly box: MessageBox;
  /** Only messages in threads about this document or folder. If the caller cannot read it, there are none. */
  readonly about?: Location | undefined;
  /** Only messages of this principal. Not for `sent`, nor with `about`. */
  readonly from?: string | undefined;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** Messages, and a notice for their reader. */
export interface MessagePage<Item> extends Page<Item> {
  readonly notice: string;
  /** The place of one of its items in the list, as in `next`. */
  readonly positionOf: (item: Item) => string;
}

/** A page of a box. */
export interface BoxPage extends MessagePage<ListedMessage> {
  /** With the first page of unread messages: from whom there are how many, so that one sender does not hide others. */
  readonly unreadFrom: readonly UnreadFrom[];
}

/** Senders named beside unread messages. */
const maxSenders = 20;
const digits = 16;
const positionOf = ({ number }: StoredMessage): string => String(number).padStart(digits, '0');

/** @throws Refusal INVALID_REQUEST `bad_cursor` */
function parsePosition(after: string): number {
  if (after === '') return Number.MAX_SAFE_INTEGER;
  if (!/^\d{16}$/.test(after)) {
    throw invalidRequest('bad_cursor', 'The cursor is not one for this query. Start again without it.', {
      field: 'cursor',
    });
  }
  return Number(after);
}

function show<Item>(
  found: readonly StoredMessage[],
  limit: number,
  present: (message: StoredMessage) => Item,
): MessagePage<Item> {
  const page = makePage(found, limit, positionOf);
  const positions = new Map(page.items.map((message) => [present(message), positionOf(message)]));
  return {
    items: [...positions.keys()],
    next: page.next,
    notice: messageNotice,
    positionOf: (item) => positions.get(item) ?? '',
  };
}

/** No thread is about it, but the search for it is the usual one. */
const nothing: MessageTopic = { type: 'document', number: -1 };

function findTopic(view: View, about: Location): MessageTopic {
  const document = view.document(about);
  if (document !== undefined) return { type: 'document', number: document.number };
  return view.folder(about) === undefined ? nothing : { type: 'folder', location: about };
}

/** The caller's own messages in a box, the newest first. */
export const listMessages: ReadOperation<ListMessagesInput, BoxPage> = {
  kind: 'read',
  name: 'message.list',
  needs: () => [],
  note: ({ box, about }) => ({ ...(about === undefined ? {} : { target: about }), detail: { box } }),
  run({ view, caller }, { box, about, from, after, limit }) {
    const filter = { box, from, about: about === undefined ? undefined : findTopic(view, about) };
    const found = view.tables.messages.list(caller.principalId, filter, parsePosition(after), limit + 1);
    const presenter = new MessagePresenter(view, caller);
    const { messages } = view.tables;
    const isOverview = box === 'unread' && from === undefined && about === undefined && after === '';
    return {
      ...show(found, limit, (message) => presenter.list(message)),
      unreadFrom: isOverview ? messages.listUnreadFrom(caller.principalId, maxSenders) : [],
    };
  },
};

export interface ReadThreadInput {
  readonly threadId: string;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/**
 * The messages of a thread that the caller sent or got, with their texts, the newest first. It marks none as read.
 * @throws Refusal NOT_FOUND
 */
export const readMessageThread: ReadOperation<ReadThreadInput, MessagePage<Message>> = {
  kind: 'read',
  name: 'message.read_thread',
  needs: () => [],
  note: ({ threadId }) => ({ target: threadId }),
  run({ view, caller }, { threadId, after, limit }) {
    const { messages } = view.tables;
    const before = parsePosition(after);
    const thread = messages.findThread(threadId)?.number ?? 0;
    const found = messages.listThread(caller.principalId, thread, before, limit + 1);
    if (found.length === 0 && after === '') throw notFound();
    const presenter = new MessagePresenter(view, caller);
    return show(found, limit, (message) => presenter.read(message));
  },
};

export interface ReadMessagesInput {
  readonly messageIds: readonly string[];
  /** How many of them earlier pages have shown, as a position; left out for the first page. */
  readonly after?: string | undefined;
}

/** Messages that the caller sent or got, with their texts, in the requested order. @throws Refusal NOT_FOUND */
export const readMessages: ReadOperation<ReadMessagesInput, MessagePage<Message>> = {
  kind: 'read',
  name: 'message.read',
  needs: () => [],
  note: ({ messageIds }) => ({ detail: { messages: messageIds } }),
  run({ view, caller }, { messageIds, after = '' }) {
    const presenter = new MessagePresenter(view, caller);
    const items = parseMessageIds(messageIds).map((id) => view.tables.messages.find(caller.principalId, id));
    if (items.includes(undefined)) throw notFound();
    const present = items.flatMap((message) => (message === undefined ? [] : [presenter.read(message)]));
    return {
      items: present.slice(Number(after)),
      next: null,
      notice: messageNotice,
      positionOf: (item) => String(present.indexOf(item) + 1).padStart(digits, '0'),
    };
  },
};

/** Maximum of messages named at once. */
const maxNamed = 100;

/** @returns each id once. @throws Refusal INVALID_REQUEST `bad_field` */
export function parseMessageIds(messageIds: readonly string[]): string[] {
  if (messageIds.length === 0 || messageIds.length > maxNamed) {
    throw invalidRequest('bad_field', `Name 1 to ${maxNamed} messages by their ids.`, { input: 'messageIds' });
  }
  return [...new Set(messageIds)];
}
