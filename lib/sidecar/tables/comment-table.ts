import type { Comment, Thread } from '../../domain/comment.js';
import type { PrincipalKind } from '../../domain/principal.js';
import { Table } from '../statement.js';

interface ThreadRow {
  number: number;
  id: string;
  document: number;
  quote: string | null;
  quote_before: string | null;
  quote_after: string | null;
  quote_start: number | null;
  resolved_at: number | null;
  resolved_by: string | null;
}

interface Row {
  number: number;
  id: string;
  thread: number;
  thread_id: string;
  is_first: number;
  author: string;
  author_kind: PrincipalKind;
  author_name: string;
  text: string;
  created_at: number;
  edited_at: number | null;
  deleted_at: number | null;
  mentions: string;
}

interface ListQuery {
  document: number;
  thread: number;
  comment: number;
  limit: number;
}

/** A thread with the number of its document and its own. */
export interface StoredThread extends Thread {
  readonly number: number;
  readonly document: number;
}

/** A comment with its own number and its thread's. */
export interface StoredComment extends Comment {
  readonly number: number;
  readonly thread: number;
}

/** The addressee of a comment, and why. */
export interface Addressed {
  readonly principal: string;
  readonly why: 'mention' | 'reply';
}

const toThread = (row: ThreadRow): StoredThread => ({
  number: row.number,
  id: row.id,
  document: row.document,
  quote:
    row.quote === null
      ? null
      : {
          text: row.quote,
          before: row.quote_before ?? '',
          after: row.quote_after ?? '',
          start: row.quote_start ?? 0,
        },
  resolved: row.resolved_at === null ? null : { at: row.resolved_at, by: row.resolved_by ?? '' },
});

const toComment = (row: Row): StoredComment => ({
  number: row.number,
  thread: row.thread,
  id: row.id,
  threadId: row.thread_id,
  isFirst: row.is_first !== 0,
  author: { id: row.author, kind: row.author_kind, displayName: row.author_name },
  text: row.text,
  createdAt: row.created_at,
  editedAt: row.edited_at,
  deletedAt: row.deleted_at,
  mentions: JSON.parse(row.mentions) as string[],
});

const columns = `c.number, c.id, c.thread, t.id AS thread_id, c.author, c.text, c.created_at, c.edited_at, c.deleted_at,
  p.kind AS author_kind, p.display_name AS author_name,
  c.number = (SELECT min(f.number) FROM comment f WHERE f.thread = c.thread) AS is_first,
  (SELECT json_group_array(a.principal) FROM comment_addressee a WHERE a.comment = c.number AND a.why = 'mention')
    AS mentions`;

/** Finds its rows by indexes, in order: a page costs the same however many comments there are. */
function listStatement(condition: string): string {
  return `SELECT ${columns}
    FROM comment_thread t JOIN comment c ON c.thread = t.number JOIN principal p ON p.id = c.author
    WHERE t.document = @document ${condition} AND t.number >= @thread
      AND c.number > CASE WHEN t.number = @thread THEN @comment ELSE 0 END
    ORDER BY t.number, c.number LIMIT @limit`;
}

/** A comment with its addressee. */
export interface AddressedRow extends Omit<Addressed, 'principal'> {
  readonly number: number;
  readonly comment: StoredComment;
  readonly document: number;
  /** Milliseconds since 1970. */
  readonly addressedAt: number;
}

type AddressedColumns = Row & { addressed: number; why: Addressed['why']; document: number; addressed_at: number };

export const commentStatements = {
  all: listStatement(''),
  open: listStatement('AND t.resolved_at IS NULL'),
  addressed: `SELECT ${columns}, a.number AS addressed, a.why, a.addressed_at, t.document
    FROM comment_addressee a JOIN comment c ON c.number = a.comment JOIN comment_thread t ON t.number = c.thread
      JOIN principal p ON p.id = c.author
    WHERE a.principal = ? AND a.number > ? AND a.number < ? ORDER BY a.number DESC LIMIT ?`,
  lastAddressed: 'SELECT max(number) AS number FROM comment_addressee',
  addressedBefore: `SELECT number FROM comment_addressee WHERE principal = ? AND addressed_at < ?
    ORDER BY addressed_at DESC, number DESC LIMIT 1`,
  ofThread: `SELECT ${columns} FROM comment c JOIN comment_thread t ON t.number = c.thread
      JOIN principal p ON p.id = c.author
    WHERE c.thread = ? AND c.number > ? ORDER BY c.number LIMIT ?`,
  newest: `SELECT ${columns} FROM comment c JOIN comment_thread t ON t.number = c.thread
      JOIN principal p ON p.id = c.author
    WHERE c.thread = ? ORDER BY c.number DESC LIMIT 1`,
  openThreads: `SELECT * FROM comment_thread WHERE document = ? AND resolved_at IS NULL AND number > ?
    ORDER BY number LIMIT ?`,
  summarize: `SELECT count(*) AS comments, sum(c.number) AS numbers, sum(c.created_at) AS created,
      sum(c.edited_at) AS edited, sum(c.deleted_at) AS deleted, sum(t.resolved_at) AS resolved
    FROM comment_thread t JOIN comment c ON c.thread = t.number WHERE t.document = ?`,
} as const;

/** Threads of comments on documents. */
export class CommentTable extends Table {
  readonly #insertThread = this.statement(
    `INSERT INTO comment_thread (id, document, quote, quote_before, quote_after, quote_start)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  readonly #findThread = this.statement<[string], ThreadRow>('SELECT * FROM comment_thread WHERE id = ?');
  readonly #someThread = this.statement<[], ThreadRow>('SELECT * FROM comment_thread LIMIT 1');
  readonly #resolve = this.statement('UPDATE comment_thread SET resolved_at = ?, resolved_by = ? WHERE number = ?');
  readonly #insert = this.statement(
    'INSERT INTO comment (id, thread, author, text, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  readonly #find = this.statement<[string], Row>(
    `SELECT ${columns} FROM comment c JOIN comment_thread t ON t.number = c.thread JOIN principal p ON p.id = c.author
     WHERE c.id = ?`,
  );
  readonly #all = this.statement<[ListQuery], Row>(commentStatements.all);
  readonly #open = this.statement<[ListQuery], Row>(commentStatements.open);
  readonly #edit = this.statement('UPDATE comment SET text = ?, edited_at = ? WHERE number = ?');
  readonly #clear = this.statement("UPDATE comment SET text = '', deleted_at = ? WHERE number = ?");
  readonly #isThreadEmpty = this.valueStatement<[number], number>(
    'SELECT NOT EXISTS (SELECT 1 FROM comment WHERE thread = ? AND deleted_at IS NULL) AS empty',
  );
  readonly #deleteAddresses = this.statement('DELETE FROM comment_addressee WHERE comment = ?');
  readonly #keepMentions = this.statement(
    `DELETE FROM comment_addressee
     WHERE comment = ? AND why = 'mention' AND principal NOT IN (SELECT value FROM json_each(?))`,
  );
  readonly #keepAsReply = this.statement(
    `UPDATE comment_addressee SET why = 'reply'
     WHERE comment = ? AND why = 'mention' AND principal = ? AND principal NOT IN (SELECT value FROM json_each(?))`,
  );
  readonly #deleteReply = this.statement(
    "DELETE FROM comment_addressee WHERE comment = ? AND principal = ? AND why = 'reply'",
  );
  readonly #deleteThread = [
    this.statement('DELETE FROM comment_addressee WHERE comment IN (SELECT number FROM comment WHERE thread = ?)'),
    this.statement('DELETE FROM comment WHERE thread = ?'),
    this.statement('DELETE FROM comment_thread WHERE number = ?'),
  ];
  readonly #address = this.statement(
    `INSERT INTO comment_addressee (principal, comment, why, addressed_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  readonly #addressed = this.statement<[string, number, number, number], AddressedColumns>(commentStatements.addressed);
  readonly #lastAddressed = this.valueStatement<[], number | null>(commentStatements.lastAddressed);
  readonly #addressedBefore = this.valueStatement<[string, number], number>(commentStatements.addressedBefore);
  readonly #ofThread = this.statement<[number, number, number], Row>(commentStatements.ofThread);
  readonly #newest = this.statement<[number], Row>(commentStatements.newest);
  readonly #openThreads = this.statement<[number, number, number], ThreadRow>(commentStatements.openThreads);
  readonly #summarize = this.statement<[number], object>(commentStatements.summarize);
  readonly #count = this.valueStatement<[number], number>('SELECT count(*) AS count FROM comment WHERE thread = ?');

  /** @returns the thread's number */
  insertThread(id: string, document: number, quote: Thread['quote']): number {
    return Number(
      this.#insertThread.run(
        id,
        document,
        quote?.text ?? null,
        quote?.before ?? null,
        quote?.after ?? null,
        quote?.start ?? null,
      ).lastInsertRowid,
    );
  }

  findThread(id: string): StoredThread | undefined {
    const row = this.#findThread.get(id);
    return row === undefined ? undefined : toThread(row);
  }

  /** Any thread, to read in place of one that is not there: finding nothing is quicker than finding a row. */
  someThread(): StoredThread | undefined {
    const row = this.#someThread.get();
    return row === undefined ? undefined : toThread(row);
  }

  /** Marks a thread as resolved, or (with null) as open again. */
  setResolved(thread: number, resolved: Thread['resolved']): void {
    this.#resolve.run(resolved?.at ?? null, resolved?.by ?? null, thread);
  }

  /** Figures that change whenever a comment or thread of the document does. */
  summarize(document: number): object {
    return this.#summarize.get(document) ?? {};
  }

  /** How many comments the thread has, deleted ones too. */
  countIn(thread: number): number {
    return this.#count.get(thread) ?? 0;
  }

  /** @returns the comment's number */
  insert(id: string, thread: number, author: string, text: string, createdAt: number): number {
    return Number(this.#insert.run(id, thread, author, text, createdAt).lastInsertRowid);
  }

  find(id: string): StoredComment | undefined {
    const row = this.#find.get(id);
    return row === undefined ? undefined : toComment(row);
  }

  /** Comments of the document after the one with these numbers: thread by thread, each in order. */
  list(
    document: number,
    which: 'all' | 'open',
    after: { readonly thread: number; readonly comment: number },
    limit: number,
  ): StoredComment[] {
    const statement = which === 'all' ? this.#all : this.#open;
    return statement.all({ document, ...after, limit }).map(toComment);
  }

  /** Comments of one thread after the one with this number, in order. */
  listThread(thread: number, after: number, limit: number): StoredComment[] {
    return this.#ofThread.all(thread, after, limit).map(toComment);
  }

  /** The last comment of a thread, also a deleted one. */
  newestIn(thread: number): StoredComment | undefined {
    const row = this.#newest.get(thread);
    return row === undefined ? undefined : toComment(row);
  }

  /** Threads on the document that are not resolved, after the one with this number, the oldest first. */
  openThreads(document: number, after: number, limit: number): StoredThread[] {
    return this.#openThreads.all(document, after, limit).map(toThread);
  }

  setText(comment: number, text: string, editedAt: number): void {
    this.#edit.run(text, editedAt, comment);
  }

  /**
   * Addresses a comment. An earlier address of the principal stays, with its time. But a mention takes the place of an
   * answer, as a new address: the principal is notified, perhaps after it was notified of the answer.
   */
  address(comment: number, { principal, why }: Addressed, at: number): void {
    if (why === 'mention') this.#deleteReply.run(comment, principal);
    this.#address.run(principal, comment, why, at);
  }

  /**
   * Removes a comment's mentions, except of these.
   * @param answered the principal whose thread the comment answers: it stays an addressee, and learns of nothing new
   */
  keepMentions(comment: number, principals: readonly string[], answered: string | undefined): void {
    const kept = JSON.stringify(principals);
    if (answered !== undefined) this.#keepAsReply.run(comment, answered, kept);
    this.#keepMentions.run(comment, kept);
  }

  /** Removes a comment's text and its addresses; a thread without any text left goes altogether. */
  delete({ number, thread }: Pick<StoredComment, 'number' | 'thread'>, at: number): void {
    this.#clear.run(at, number);
    this.#deleteAddresses.run(number);
    if (this.#isThreadEmpty.get(thread) !== 1) return;
    for (const statement of this.#deleteThread) statement.run(thread);
  }

  /** The comments addressed to the principal between these numbers, the last first. */
  addressedTo(
    principal: string,
    between: { readonly after: number; readonly before: number },
    limit: number,
  ): AddressedRow[] {
    return this.#addressed.all(principal, between.after, between.before, limit).map((row) => ({
      number: row.addressed,
      comment: toComment(row),
      why: row.why,
      document: row.document,
      addressedAt: row.addressed_at,
    }));
  }

  /**
   * The highest number of an address, to any principal; 0 when there is none. Numbers go up, and none is given twice.
   */
  lastAddressed(): number {
    return this.#lastAddressed.get() ?? 0;
  }

  /** The number of the last address to the principal before that time; 0 when there is none. */
  lastAddressedBefore(principal: string, time: number): number {
    return this.#addressedBefore.get(principal, time) ?? 0;
  }
}
