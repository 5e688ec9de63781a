import type { Connection } from './database.js';

/** How much a workspace holds, for those who run the service: never shown to a caller with less than everything. */
export interface Totals {
  /** Live ones. */
  readonly documents: number;
  readonly deletedDocuments: number;
  readonly versions: number;
  readonly folders: number;
  readonly principals: number;
  readonly groups: number;
  readonly grants: number;
  readonly credentials: number;
}

/** Counts rows; takes time in proportion to them. */
export function readTotals(connection: Connection): Totals {
  const count = (rows: string): number =>
    connection.prepare<[], { count: number }>(`SELECT count(*) AS count FROM ${rows}`).get()?.count ?? 0;
  return {
    documents: count('document WHERE folder IS NOT NULL'),
    deletedDocuments: count('document WHERE folder IS NULL'),
    versions: count('version'),
    // The root is a row, too.
    folders: count('folder') - 1,
    principals: count("principal WHERE kind <> 'operator'"),
    groups: count('principal_group'),
    grants: count('access_grant'),
    credentials: count('credential'),
  };
}

/** Bytes of all versions, as their rows say. */
export function sumBytes(connection: Connection): number {
  const sum = connection.prepare<[], { bytes: number }>('SELECT coalesce(sum(size), 0) AS bytes FROM version');
  return sum.get()?.bytes ?? 0;
}
