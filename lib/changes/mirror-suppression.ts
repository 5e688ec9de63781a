import { createHmac } from 'node:crypto';
import type { Randomness } from '../domain/clock.js';
import type { Tables } from '../sidecar/tables.js';

/** The name of the key that hides which files are suppressed. */
const keyName = 'mirror_suppression_key';

/** A file of a source, by the words that a later run finds it by. */
export interface SuppressedFile {
  /** Below the mirror's folder. */
  readonly path: string;
  /** The source's own id; null where it has none. */
  readonly sourceId: string | null;
}

/** Whether the file was erased here, so that it must not come back. */
export type IsSuppressed = (file: SuppressedFile) => boolean;

/** Looks among the erased files of a connector. The answer holds within the transaction, or the turn of a read. */
export function readSuppressions(tables: Tables, connector: string): IsSuppressed {
  const key = tables.meta.get(keyName);
  if (key === undefined) return () => false;
  return (file) => hashesOf(key, file).some((hash) => tables.mirrorEntries.isSuppressed(connector, hash));
}

/** Keeps a file from coming back. The rows name nothing. */
export function suppressFile(
  { tables, randomness }: { readonly tables: Tables; readonly randomness: Randomness },
  connector: string,
  file: SuppressedFile,
): void {
  let key = tables.meta.get(keyName);
  if (key === undefined) {
    key = Buffer.from(randomness.bytes(32)).toString('hex');
    tables.meta.set(keyName, key);
  }
  for (const hash of hashesOf(key, file)) tables.mirrorEntries.suppress(connector, hash);
}

function hashesOf(key: string, { path, sourceId }: SuppressedFile): Buffer[] {
  const texts = [`path ${path}`, ...(sourceId === null ? [] : [`id ${sourceId}`])];
  return texts.map((text) => createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest());
}
