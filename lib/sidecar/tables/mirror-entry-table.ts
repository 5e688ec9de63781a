import type { SkipReason } from '../../domain/connector.js';
import { Table } from '../statement.js';

/** A file of a source as of the last run. */
export interface MirrorEntry {
  /** Below the mirror's folder. */
  readonly path: string;
  /** The source's own id of the file; null where it has none. */
  readonly sourceId: string | null;
  /** The source's own word for the state of the file. */
  readonly version: string;
  /** Why it is not in the mirror; null when it is. */
  readonly reason: SkipReason | null;
  readonly detail: string | null;
}

/** Whether a document of the mirror belongs to the row. One that could not be read keeps the version that was read. */
export function hasDocument({ reason, version }: MirrorEntry): boolean {
  return reason === null || (reason === 'unreadable' && version !== '');
}

const columns = 'path, source_id AS sourceId, version, reason, detail';

/** What sources hold, so that the next run reads only what has changed. */
export class MirrorEntryTable extends Table {
  readonly #put = this.statement(
    'INSERT OR REPLACE INTO mirror_entry (connector, path, source_id, version, reason, detail) VALUES (?, ?, ?, ?, ?, ?)',
  );
  readonly #remove = this.statement('DELETE FROM mirror_entry WHERE connector = ? AND path = ?');
  readonly #find = this.statement<[string, string], MirrorEntry>(
    `SELECT ${columns} FROM mirror_entry WHERE connector = ? AND path = ?`,
  );
  readonly #bySource = this.statement<[string, string], MirrorEntry>(
    `SELECT ${columns} FROM mirror_entry WHERE connector = ? AND source_id = ? LIMIT 1`,
  );
  readonly #list = this.statement<[string, string, number], MirrorEntry>(
    `SELECT ${columns} FROM mirror_entry WHERE connector = ? AND path > ? ORDER BY path LIMIT ?`,
  );
  readonly #skipped = this.statement<[string, string, number], MirrorEntry>(
    `SELECT ${columns} FROM mirror_entry WHERE connector = ? AND path > ? AND reason IS NOT NULL ORDER BY path LIMIT ?`,
  );
  readonly #count = this.valueStatement<[string], number>(
    'SELECT count(*) AS count FROM mirror_entry WHERE connector = ? AND reason IS NULL',
  );
  readonly #clearSome = this.statement(
    `DELETE FROM mirror_entry WHERE connector = ?
     AND path IN (SELECT path FROM mirror_entry WHERE connector = ? LIMIT ?)`,
  );
  readonly #allow = this.statement('DELETE FROM mirror_suppression WHERE connector = ?');
  readonly #suppress = this.statement('INSERT OR IGNORE INTO mirror_suppression (connector, path_hash) VALUES (?, ?)');
  readonly #suppressed = this.valueStatement<[string, Uint8Array], number>(
    'SELECT EXISTS (SELECT 1 FROM mirror_suppression WHERE connector = ? AND path_hash = ?) AS found',
  );

  put(connector: string, { path, sourceId, version, reason, detail }: MirrorEntry): void {
    this.#put.run(connector, path, sourceId, version, reason, detail);
  }

  remove(connector: string, path: string): void {
    this.#remove.run(connector, path);
  }

  find(connector: string, path: string): MirrorEntry | undefined {
    return this.#find.get(connector, path);
  }

  bySource(connector: string, sourceId: string): MirrorEntry | undefined {
    return this.#bySource.get(connector, sourceId);
  }

  /** By path, after `after` ('' for all). */
  list(connector: string, after: string, limit: number): MirrorEntry[] {
    return this.#list.all(connector, after, limit);
  }

  /** Those that are not in the mirror. By path, after `after` ('' for all). */
  skipped(connector: string, after: string, limit: number): MirrorEntry[] {
    return this.#skipped.all(connector, after, limit);
  }

  /** Files in the mirror. */
  count(connector: string): number {
    return this.#count.get(connector) ?? 0;
  }

  /** Removes some of them. @returns whether there may be more */
  clearSome(connector: string, most: number): boolean {
    return this.#clearSome.run(connector, connector, most).changes === most;
  }

  /** Forgets which files must not come back, when nothing comes any more. */
  forgetSuppressions(connector: string): void {
    this.#allow.run(connector);
  }

  /** @param pathHash HMAC of the path */
  suppress(connector: string, pathHash: Uint8Array): void {
    this.#suppress.run(connector, pathHash);
  }

  isSuppressed(connector: string, pathHash: Uint8Array): boolean {
    return this.#suppressed.get(connector, pathHash) === 1;
  }
}
