import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from './database.js';

const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/;

/**
 * Brings the file to the newest schema: runs each `NNNN_*.sql` above its `user_version`, each in a transaction of its
 * own.
 * @param folder the folder of the migrations
 * @throws Error when the file was made by a newer release than this one
 */
export function migrate(connection: Connection, folder: string): void {
  const steps = readdirSync(folder)
    .map((name) => ({ name, number: Number(fileName.exec(name)?.[1] ?? Number.NaN) }))
    .filter((step) => !Number.isNaN(step.number))
    .toSorted((a, b) => a.number - b.number);
  const newest = steps.at(-1)?.number ?? 0;
  const present = connection.pragma('user_version', { simple: true }) as number;
  if (present > newest) {
    throw new Error(
      `The data was written by a newer release (schema ${present}, this one knows ${newest}). Update cartulary.`,
    );
  }
  for (const step of steps) {
    if (step.number <= present) continue;
    connection.transaction(() => {
      connection.exec(readFileSync(join(folder, step.name), 'utf8'));
      connection.pragma(`user_version = ${step.number}`);
    })();
  }
}
