import { answerJson } from '../../api/answers/api-answer.js';
import { jsonOf } from '../../api/requests/checked-request.js';
import type { RequestOf } from '../../api/requests/described-request.js';
import { presentPage, readPage } from '../../api/resources/page-query.js';
import { jsonPost, route, type Route } from '../../api/route.js';
import { listMessages, readMessages } from '../../operations/messages/list-messages.js';
import { markMessages, type MarkMessagesInput } from '../../operations/messages/mark-messages.js';
import { sendMessage, type SendMessageInput } from '../../operations/messages/send-message.js';
import { toListedMessageRecord, toMessageRecord } from '../../records/message-record.js';
import { repeatablePost } from './principals.js';

/** The body MessageMark. */
function readMark(request: RequestOf<'markMessage'>): MarkMessagesInput {
  const { message, is_read: isRead } = jsonOf(request);
  return { messageIds: [message], isRead };
}

/** The body MessageAnswer. */
function readAnswer(request: RequestOf<'answerMessage'>): SendMessageInput {
  const { thread_id, text } = jsonOf(request);
  return { threadId: thread_id, body: text };
}

/** The person's unread messages: listed, read, marked and answered. */
export const messageRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/unread-messages',
    operation: listMessages,
    read: (request) => ({ box: 'unread', ...readPage(request) }),
    present: presentPage(toListedMessageRecord),
  }),
  route({
    method: 'GET',
    path: '/message',
    operation: readMessages,
    read: ({ query }) => ({ messageIds: [query.message] }),
    present: ({ items: [message] }) => answerJson(200, message === undefined ? {} : toMessageRecord(message)),
  }),
  route({
    ...repeatablePost,
    path: '/message-marks',
    operation: markMessages,
    read: readMark,
    present: (_, request) => answerJson(200, { is_read: readMark(request).isRead }),
  }),
  route({
    ...jsonPost,
    path: '/message-answers',
    operation: sendMessage,
    read: readAnswer,
    present: ({ message }) => answerJson(201, { id: message.id }),
  }),
];
