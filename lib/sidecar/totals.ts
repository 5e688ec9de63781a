import type { Connection } from './driver.js';

/** The size of a workspace, for its operators: never shown to a caller whose reach is less than everything. */
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

/** Bytes in the file of the rows beside documents, with their indexes. */
export interface BesideSizes {
  readonly comments: number;
  readonly messages: number;
  /** Records and their texts; archived ones are not in the file any more. */
  readonly auditLog: number;
  /** Answers kept for retries, a day long. */
  readonly storedAnswers: number;
}

const tablesBeside: Readonly<Record<keyof BesideSizes, readonly string[]>> = {
  comments: ['comment_thread', 'comment', 'comment_addressee'],
  messages: ['message_thread', 'message', 'message_delivery', 'brief_mark'],
  auditLog: [
    'audit_record',
    'audit_text',
    'audit_tally',
    'audit_checkpoint',
    'audit_archive',
    'audit_place_set',
    'audit_place_set_folder',
    'audit_place_set_document',
    'audit_place_use',
    'audit_touched',
    'audit_given_head',
  ],
  storedAnswers: ['idempotency'],
};

/** Measures tables; takes time in proportion to their bytes. */
export function measureBeside(connection: Connection): BesideSizes {
  const measure = connection.prepare<[string], { bytes: number }>(
    `SELECT coalesce(sum(s.pgsize), 0) AS bytes FROM sqlite_master m JOIN dbstat s ON s.name = m.name AND s.aggregate = 1
     WHERE m.tbl_name IN (SELECT value FROM json_each(?))`,
  );
  const sizeOf = (of: keyof BesideSizes): number => measure.get(JSON.stringify(tablesBeside[of]))?.bytes ?? 0;
  return {
    comments: sizeOf('comments'),
    messages: sizeOf('messages'),
    auditLog: sizeOf('auditLog'),
    storedAnswers: sizeOf('storedAnswers'),
  };
}

/** Bytes of all versions, as their rows say. */
export function sumBytes(connection: Connection): number {
  const sum = connection.prepare<[], { bytes: number }>('SELECT coalesce(sum(size), 0) AS bytes FROM version');
  return sum.get()?.bytes ?? 0;
}
