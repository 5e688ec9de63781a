import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { storedTwinKeyOf } from '../domain/portable-name.js';
import type { Connection } from './driver.js';
import { listSteps } from './schema-number.js';

/** Steps that a file of an earlier release needs, before they are taken. */
export interface Upgrade {
  readonly from: number;
  readonly to: number;
  /** Records of its audit log: the steps that take long go through them. 0 for the service's own file. */
  readonly records: number;
}

/** Receives the progress of an upgrade. */
export interface UpgradeProgress {
  /** A step begins. */
  readonly onStep: (number: number) => void;
  readonly onEnd: () => void;
}

/** Is told before a file of an earlier release gets its steps. @returns who is told about each, and about the end */
export type OnUpgrade = (upgrade: Upgrade) => UpgradeProgress;

/**
 * By the steps of a folder: one text with all that they make of a new file. SQLite reads the whole schema again at each
 * change of a table, so the steps take three times as long as this text.
 */
const wholeSchemas = new Map<string, string>();

/** Rows that a step puts into every file. Other rows are made from those that are there, and a new file has none. */
const rowsOfEveryFile = /^INSERT INTO \w+ \([^)]*\) VALUES [^;]*;/gm;

/**
 * Brings the file to the newest schema: runs each `NNNN_*.sql` above its `user_version`, each in a transaction of its
 * own. A new file gets all of them in one, once this process has taken them for another file. A process that ends
 * between two steps has taken the first: the next one goes on with the second.
 * @param folder the folder of the migrations
 * @param onUpgrade is called for a file that is there already and needs steps
 * @throws Error when the file was made by a newer release than this one
 */
export function migrate(connection: Connection, folder: string, onUpgrade?: OnUpgrade): void {
  const steps = listSteps(folder);
  const newest = steps.at(-1)?.number ?? 0;
  const present = connection.pragma('user_version', { simple: true }) as number;
  if (present > newest) {
    throw new Error(
      `The data was written by a newer version (schema ${present}; this one knows ${newest}). Use that version or a later one.`,
    );
  }
  const read = ({ name }: { readonly name: string }): string => readFileSync(join(folder, name), 'utf8');
  const advance = (text: string, to: number): void =>
    connection.transaction(() => {
      connection.exec(text);
      connection.pragma(`user_version = ${to}`);
    })();
  const key = [folder, ...steps.map(({ name }) => name)].join('\n');
  const whole = wholeSchemas.get(key);
  if (present === 0 && whole !== undefined) {
    advance(whole, newest);
    return;
  }
  defineFunctions(connection);
  const isUpgrade = present > 0 && present < newest;
  const progress = isUpgrade
    ? onUpgrade?.({ from: present, to: newest, records: countRecords(connection) })
    : undefined;
  for (const step of steps) {
    if (step.number <= present) continue;
    progress?.onStep(step.number);
    advance(read(step), step.number);
  }
  progress?.onEnd();
  if (present === 0) wholeSchemas.set(key, writeWhole(connection, steps.map(read)));
}

/** Functions of ours that the steps call, for what SQL cannot say. */
export function defineFunctions(connection: Connection): void {
  connection.function('twin_key', { deterministic: true }, (name) => storedTwinKeyOf(name as string));
}

/** @param connection of a file to which all steps were just applied, from nothing */
function writeWhole(connection: Connection, steps: readonly string[]): string {
  const objects = connection.prepare<[], { sql: string }>(
    "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'table' DESC, rowid",
  );
  const rows = steps.flatMap((step) => step.match(rowsOfEveryFile) ?? []);
  return [...objects.all().map(({ sql }) => `${sql};`), ...rows].join('\n');
}

function countRecords(connection: Connection): number {
  const hasLog = connection.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'audit_record'").get();
  if (hasLog === undefined) return 0;
  const { count } = connection.prepare('SELECT count(*) AS count FROM audit_record').get() as {
    readonly count: number;
  };
  return count;
}
