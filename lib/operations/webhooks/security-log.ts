import { toFound } from '../../audit/find-archived.js';
import { readArchive } from '../../audit/read-archive.js';
import type { FoundRecord } from '../../audit/seek-records.js';
import type { ArchiveRow } from '../../sidecar/tables/audit-archive-table.js';
import type { Tables } from '../../sidecar/tables.js';

/** What it is read from. */
export interface LogSource {
  readonly journal: { readonly reader: Tables };
  /** The folder of the archives; null where there can be none. */
  readonly archives: string | null;
}

/** Some records in order, and how far they go. */
export interface LogPart {
  readonly rows: readonly FoundRecord[];
  /** Number of the last record that was looked at. */
  readonly end: number;
  /** Whether the log ends there now. */
  readonly isLast: boolean;
}

/**
 * The audit log in order, through archives and rows alike. One archive stays in memory while it is read: its events are
 * told one by one.
 */
export class SecurityLog {
  readonly #source: LogSource;
  readonly #isEvent: (action: string) => boolean;
  #archived: { readonly file: string; readonly rows: readonly FoundRecord[] } | undefined;

  /** @param isEvent whether records of an action are wanted; of archives, others are left out */
  constructor(source: LogSource, isEvent: (action: string) => boolean) {
    this.#source = source;
    this.#isEvent = isEvent;
  }

  /** The tables as they are now. */
  get tables(): Tables {
    return this.#source.journal.reader;
  }

  /**
   * Records behind one, at most so many rows or those of one archive.
   * @throws ArchiveUnreadable
   */
  async after(seq: number, most: number): Promise<LogPart> {
    const { tables } = this;
    const rows = tables.audit.after(seq, most);
    const isGap = rows[0] !== undefined && rows[0].seq > seq + 1;
    const archive = isGap ? tables.auditArchives.holding(seq + 1) : undefined;
    if (archive !== undefined) {
      const archived = await this.#readEvents(archive);
      return { rows: archived.filter((row) => row.seq > seq), end: archive.lastSeq, isLast: false };
    }
    this.#archived = undefined;
    return { rows, end: rows.at(-1)?.seq ?? seq, isLast: rows.length < most };
  }

  async #readEvents(archive: ArchiveRow): Promise<readonly FoundRecord[]> {
    if (this.#archived?.file === archive.file) return this.#archived.rows;
    const rows: FoundRecord[] = [];
    for await (const records of readArchive(this.#source.archives, archive)) {
      rows.push(...records.filter(({ action }) => this.#isEvent(action)).map(toFound));
    }
    this.#archived = { file: archive.file, rows };
    return rows;
  }
}

const logs = new WeakMap<LogSource, SecurityLog>();

/** The log of a workspace, one for all its webhooks. */
export function securityLogOf(source: LogSource, isEvent: (action: string) => boolean): SecurityLog {
  let log = logs.get(source);
  if (log === undefined) logs.set(source, (log = new SecurityLog(source, isEvent)));
  return log;
}
