import type { Caller } from '../../domain/caller.js';
import type { Location } from '../../domain/location.js';
import { previewLength, type Addressee, type ListedMessage, type Message } from '../../domain/message.js';
import { rootLocation } from '../../domain/location.js';
import type { MessageTopic, StoredMessage } from '../../sidecar/tables/message-table.js';
import { firstWords } from '../../text/first-words.js';
import type { View } from '../../view/view.js';
import { GroupNames } from '../grants/name-groups.js';
import { findReadable } from '../documents/read-text.js';

/** Shows messages to their sender or a recipient, by one view. */
export class MessagePresenter {
  readonly #view: View;
  readonly #names: GroupNames;

  constructor(view: View, caller: Caller) {
    this.#view = view;
    this.#names = new GroupNames(view.tables, caller, view.reach.holds('approver', rootLocation));
  }

  list(message: StoredMessage): ListedMessage {
    const { id, thread, from, body, addressed, sentAt, isRead } = message;
    return {
      id,
      threadId: thread.id,
      from,
      to: addressed.map((subject) => this.#showAddressee(subject)),
      subject: thread.subject,
      preview: firstWords(body, previewLength),
      about: this.#placeOf(thread.about),
      sentAt,
      isRead: isRead ?? true,
    };
  }

  read(message: StoredMessage): Message {
    return { ...this.list(message), body: message.body };
  }

  #showAddressee({ type, id }: StoredMessage['addressed'][number]): Addressee {
    if (type === 'group') return { type, ...this.#names.show(id) };
    return { type, id, displayName: this.#view.tables.principals.find(id)?.displayName ?? null };
  }

  /** Its present place, if the viewer can read it there. */
  #placeOf(about: MessageTopic | null): Location | null {
    if (about === null) return null;
    if (about.type === 'document') return findReadable(this.#view, about.number)?.location ?? null;
    return about.location === rootLocation || this.#view.folder(about.location) !== undefined ? about.location : null;
  }
}
