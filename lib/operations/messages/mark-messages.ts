import { notFound } from '../../domain/refusal.js';
import type { ListedMessage } from '../../domain/message.js';
import { MessagePresenter } from './describe-message.js';
import { parseMessageIds } from './list-messages.js';
import type { WriteOperation } from '../operation.js';

export interface MarkMessagesInput {
  readonly messageIds: readonly string[];
  /** False marks them as unread again. */
  readonly isRead: boolean;
}

/**
 * Marks messages as read by the caller, for itself alone: other principals do not see it. All of them or none. A
 * message sent by the caller and not received by it stays as it is.
 * @throws Refusal NOT_FOUND
 */
export const markMessages: WriteOperation<MarkMessagesInput, readonly ListedMessage[]> = {
  kind: 'write',
  name: 'message.mark',
  worksWhenLow: true,
  needs: () => [],
  note: ({ messageIds, isRead }) => ({ detail: { messages: messageIds, read: isRead } }),
  run(context, { messageIds, isRead }) {
    const { messages } = context.transaction.tables;
    const presenter = new MessagePresenter(context.view, context.caller);
    const find = (id: string) => messages.find(context.caller.principalId, id);
    const found = parseMessageIds(messageIds).map(find);
    if (found.includes(undefined)) throw notFound();
    return found.flatMap((message) => {
      if (message === undefined) return [];
      if (message.isRead !== null) messages.setRead(context.caller.principalId, message.number, isRead);
      return [presenter.list(message.isRead === null ? message : { ...message, isRead })];
    });
  },
};
