import { formatTime } from '../domain/clock.js';
import type { ListedMessage, Message } from '../domain/message.js';
import { toAuthorRecord } from './author-record.js';

/** The description's `ListedMessage`. */
export function toListedMessageRecord({ id, threadId, from, subject, preview, about, sentAt }: ListedMessage) {
  return {
    id,
    thread_id: threadId,
    from: toAuthorRecord(from),
    subject,
    preview,
    about,
    sent_at: formatTime(sentAt),
  };
}

/** The description's `Message`: with its whole text. */
export function toMessageRecord(message: Message) {
  return { ...toListedMessageRecord(message), text: message.body };
}
