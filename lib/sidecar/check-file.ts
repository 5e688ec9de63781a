import type { Connection } from './driver.js';

/** Problems that SQLite finds in its own file; empty when sound. */
export function checkIntegrity(connection: Connection): string[] {
  return (connection.pragma('integrity_check') as { integrity_check: string }[])
    .map((row) => row.integrity_check)
    .filter((line) => line !== 'ok');
}

/** References to missing rows: a sentence for each pair of tables, with their number. */
export function checkReferences(connection: Connection): string[] {
  const orphans = connection.prepare<[], { table: string; parent: string; rows: number }>(
    'SELECT "table", parent, count(*) AS rows FROM pragma_foreign_key_check GROUP BY "table", parent',
  );
  return orphans
    .all()
    .map(({ table, parent, rows }) => `${rows} of the rows of "${table}" name a row of "${parent}" that is not there.`);
}
