import type { Author } from '../../domain/principal.js';
import type { Subject } from '../../domain/grant.js';
import type { Location } from '../../domain/location.js';
import type { PrincipalKind } from '../../domain/principal.js';
import { Table } from '../statement.js';

interface ThreadRow {
  number: number;
  id: string;
  subject: string;
  about_document: number | null;
  about_folder: string | null;
}

interface Row {
  number: number;
  id: string;
  thread: number;
  thread_id: string;
  subject: string;
  about_document: number | null;
  about_folder: string | null;
  sender: string;
  sender_kind: PrincipalKind;
  sender_name: string;
  body: string;
  addressed: string;
  sent_at: number;
  is_read: number | null;
}

interface ListQuery {
  principal: string;
  before: number;
  limit: number;
  thread: number;
  document: number;
  folder: string;
  from: string;
}

/** The topic of a thread: a document by number, a folder by path, or (null) nothing in particular. */
export type MessageTopic =
  { readonly type: 'document'; readonly number: number } | { readonly type: 'folder'; readonly location: Location };

export interface StoredMessageThread {
  readonly number: number;
  readonly id: string;
  readonly subject: string;
  readonly about: MessageTopic | null;
}

/** A message as its sender or a recipient sees it. */
export interface StoredMessage {
  /** Orders all messages; never leaves the service. */
  readonly number: number;
  readonly id: string;
  readonly thread: StoredMessageThread;
  readonly from: Author;
  readonly body: string;
  readonly addressed: readonly Subject[];
  readonly sentAt: number;
  /** Null for a message that the principal sent and did not get. */
  readonly isRead: boolean | null;
}

export interface NewMessage {
  readonly id: string;
  readonly thread: number;
  readonly sender: string;
  readonly body: string;
  readonly addressed: readonly Subject[];
  /** SHA-256 over everything that identifies it. */
  readonly digest: Uint8Array;
  readonly sentAt: number;
  /** Ids of principals, each once. */
  readonly deliveredTo: Iterable<string>;
}

/** Selects some of one principal's messages. */
export interface MessageFilter {
  readonly box: 'inbox' | 'unread' | 'sent';
  /** Only messages in threads with this topic. */
  readonly about?: MessageTopic | undefined;
  /** Only messages of this sender, in boxes of received ones. */
  readonly from?: string | undefined;
}

/** A sender with unread messages. */
export interface UnreadFrom {
  readonly from: Author;
  readonly count: number;
}

const toTopic = (row: Pick<Row, 'about_document' | 'about_folder'>): MessageTopic | null => {
  if (row.about_document !== null) return { type: 'document', number: row.about_document };
  return row.about_folder === null ? null : { type: 'folder', location: row.about_folder as Location };
};

const toThread = (row: ThreadRow): StoredMessageThread => ({
  number: row.number,
  id: row.id,
  subject: row.subject,
  about: toTopic(row),
});

const toMessage = (row: Row): StoredMessage => ({
  number: row.number,
  id: row.id,
  thread: { number: row.thread, id: row.thread_id, subject: row.subject, about: toTopic(row) },
  from: { id: row.sender, kind: row.sender_kind, displayName: row.sender_name },
  body: row.body,
  addressed: JSON.parse(row.addressed) as Subject[],
  sentAt: row.sent_at,
  isRead: row.is_read === null ? null : row.is_read !== 0,
});

const columns = `m.number, m.id, m.thread, t.id AS thread_id, t.subject, t.about_document, t.about_folder, m.sender,
  p.kind AS sender_kind, p.display_name AS sender_name, m.body, m.addressed, m.sent_at, d.is_read`;
const joined = 'JOIN message_thread t ON t.number = m.thread JOIN principal p ON p.id = m.sender';

/** Each box in order of its index, the newest first: a page costs the same however full it is. */
const boxes = {
  inbox: `SELECT ${columns} FROM message_delivery d CROSS JOIN message m ON m.number = d.message ${joined}
    WHERE d.principal = @principal AND d.message < @before`,
  unread: `SELECT ${columns} FROM message_delivery d CROSS JOIN message m ON m.number = d.message ${joined}
    WHERE d.principal = @principal AND d.message < @before AND d.is_read = 0`,
  sent: `SELECT ${columns} FROM message m ${joined}
    LEFT JOIN message_delivery d ON d.principal = @principal AND d.message = m.number
    WHERE m.sender = @principal AND m.number < @before`,
} as const;

const narrowings = {
  none: '',
  sender: 'AND d.sender = @from',
  document: 'AND t.about_document = @document',
  folder: 'AND t.about_folder = @folder',
} as const;

const ofThread = `SELECT ${columns} FROM message m ${joined}
  LEFT JOIN message_delivery d ON d.principal = @principal AND d.message = m.number
  WHERE m.thread = @thread AND m.number < @before AND (m.sender = @principal OR d.principal IS NOT NULL)
  ORDER BY m.number DESC LIMIT @limit`;

type Box = keyof typeof boxes;
type Narrowing = keyof typeof narrowings;

const inBox = (box: Box, narrowing: Narrowing): string =>
  `${boxes[box]} ${narrowings[narrowing]} ORDER BY ${box === 'sent' ? 'm.number' : 'd.message'} DESC LIMIT @limit`;

/** The statements behind pages, for a test of how they find their rows. @internal */
export const messageStatements = {
  inbox: inBox('inbox', 'none'),
  unread: inBox('unread', 'none'),
  sent: inBox('sent', 'none'),
  ofThread,
} as const;

/** Unread messages that are counted, the newest. */
const maxCounted = 2000;

/** Messages between principals, and their marks of having been read. */
export class MessageTable extends Table {
  readonly #insertThread = this.statement(
    'INSERT INTO message_thread (id, subject, about_document, about_folder) VALUES (?, ?, ?, ?)',
  );
  readonly #findThread = this.statement<[string], ThreadRow>('SELECT * FROM message_thread WHERE id = ?');
  readonly #insert = this.statement(
    `INSERT INTO message (id, thread, sender, body, addressed, digest, sent_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #deliver = this.statement('INSERT INTO message_delivery (principal, message, sender) VALUES (?, ?, ?)');
  readonly #find = this.statement<[{ principal: string; id: string }], Row>(
    `SELECT ${columns} FROM message m ${joined}
     LEFT JOIN message_delivery d ON d.principal = @principal AND d.message = m.number
     WHERE m.id = @id AND (m.sender = @principal OR d.principal IS NOT NULL)`,
  );
  readonly #ofThread = this.statement<[Partial<ListQuery>], Row>(ofThread);
  readonly #lists = { inbox: this.#listIn('inbox'), unread: this.#listIn('unread'), sent: this.#listIn('sent') };
  readonly #wrote = this.valueStatement<[string, string], number>(
    'SELECT EXISTS (SELECT 1 FROM message_delivery WHERE principal = ? AND sender = ?) AS wrote',
  );
  readonly #mark = this.statement('UPDATE message_delivery SET is_read = ? WHERE principal = ? AND message = ?');
  readonly #same = this.statement<[string, Uint8Array], { id: string; thread: number; number: number; at: number }>(
    `SELECT id, thread, number, sent_at AS at FROM message WHERE sender = ? AND digest = ?
     ORDER BY number DESC LIMIT 1`,
  );
  readonly #newest = this.valueStatement<[number], number>(
    'SELECT max(number) AS number FROM message WHERE thread = ?',
  );

  readonly #unreadFrom = this.statement<
    [string, number],
    { id: string; kind: PrincipalKind; name: string; count: number }
  >(
    `SELECT p.id, p.kind, p.display_name AS name, u.count FROM (
       SELECT sender, count(*) AS count, max(message) AS newest FROM (
         SELECT sender, message FROM message_delivery WHERE principal = ? AND is_read = 0
         ORDER BY message DESC LIMIT ${maxCounted})
       GROUP BY sender) u
     JOIN principal p ON p.id = u.sender ORDER BY u.newest DESC LIMIT ?`,
  );
  readonly #sentBy = this.statement<[string], { at: number; addressed: string }>(
    'SELECT sent_at AS at, addressed FROM message WHERE sender = ? ORDER BY number DESC',
  );

  #listIn(box: Box) {
    const list = (narrowing: Narrowing) => this.statement<[Partial<ListQuery>], Row>(inBox(box, narrowing));
    return { none: list('none'), sender: list('sender'), document: list('document'), folder: list('folder') };
  }

  /** @returns the thread's number */
  insertThread(id: string, subject: string, about: MessageTopic | null): number {
    const document = about?.type === 'document' ? about.number : null;
    const folder = about?.type === 'folder' ? about.location : null;
    return Number(this.#insertThread.run(id, subject, document, folder).lastInsertRowid);
  }

  findThread(id: string): StoredMessageThread | undefined {
    const row = this.#findThread.get(id);
    return row === undefined ? undefined : toThread(row);
  }

  insert(message: NewMessage): void {
    const { id, thread, sender, body, addressed, digest, sentAt, deliveredTo } = message;
    const number = Number(
      this.#insert.run(id, thread, sender, body, JSON.stringify(addressed), digest, sentAt).lastInsertRowid,
    );
    for (const principal of deliveredTo) this.#deliver.run(principal, number, sender);
  }

  /** A message that the principal sent or got. */
  find(principal: string, id: string): StoredMessage | undefined {
    const row = this.#find.get({ principal, id });
    return row === undefined ? undefined : toMessage(row);
  }

  /** Messages in a box of the principal's with a number below `before`, the newest first. */
  list(principal: string, { box, about, from }: MessageFilter, before: number, limit: number): StoredMessage[] {
    const query = { principal, before, limit };
    const lists = this.#lists[box];
    if (from !== undefined) return lists.sender.all({ ...query, from }).map(toMessage);
    if (about === undefined) return lists.none.all(query).map(toMessage);
    const rows =
      about.type === 'document'
        ? lists.document.all({ ...query, document: about.number })
        : lists.folder.all({ ...query, folder: about.location });
    return rows.map(toMessage);
  }

  /** The same of the messages in a thread that the principal sent or got. */
  listThread(principal: string, thread: number, before: number, limit: number): StoredMessage[] {
    return this.#ofThread.all({ principal, thread, before, limit }).map(toMessage);
  }

  /** The senders of the principal's unread messages, the newest first. Of very many messages, the newest count. */
  listUnreadFrom(principal: string, limit: number): UnreadFrom[] {
    const rows = this.#unreadFrom.all(principal, limit);
    return rows.map(({ id, kind, name, count }) => ({ from: { id, kind, displayName: name }, count }));
  }

  /** When and to whom the principal wrote after `since`, the newest first. */
  listSentSince(sender: string, since: number, limit: number): { at: number; addressed: readonly Subject[] }[] {
    const sent: { at: number; addressed: readonly Subject[] }[] = [];
    for (const { at, addressed } of this.#sentBy.iterate(sender)) {
      if (at <= since || sent.length === limit) break;
      sent.push({ at, addressed: JSON.parse(addressed) as Subject[] });
    }
    return sent;
  }

  /** Whether the principal ever got a message from that sender. */
  hasWritten(sender: string, principal: string): boolean {
    return this.#wrote.get(principal, sender) === 1;
  }

  setRead(principal: string, message: number, isRead: boolean): void {
    this.#mark.run(isRead ? 1 : 0, principal, message);
  }

  /**
   * The sender's last message of that digest that was sent at `since` or later, if nothing came into its thread after
   * it.
   */
  findSame(sender: string, digest: Uint8Array, since: number): string | undefined {
    const row = this.#same.get(sender, digest);
    if (row === undefined || row.at < since) return undefined;
    return this.#newest.get(row.thread) === row.number ? row.id : undefined;
  }
}
