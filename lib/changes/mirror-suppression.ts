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

/** A file as a run meets it. Its path is null where the place is known to be that of another file. */
interface FoundFile extends Pick<SuppressedFile, 'sourceId'> {
  readonly path: string | null;
}

/** Whether the file was erased here, so that it must not come back. */
export type IsSuppressed = (file: FoundFile) => boolean;

/** A content that was read from a source. */
export interface SuppressedContent {
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** Looks among the erased files of a connector. The answer holds within the transaction, or the turn of a read. */
export function readSuppressions(tables: Tables, connector: string): IsSuppressed {
  const key = tables.meta.get(keyName);
  if (key === undefined) return () => false;
  return (file) => hashesOf(key, file).some((hash) => tables.mirrorEntries.isSuppressed(connector, hash));
}

/**
 * Looks among the contents of the erased files of a connector: a file that has one is an erased one under another name.
 * The answer holds as long as that about the files.
 */
export function readErasedContents(tables: Tables, connector: string): (content: SuppressedContent) => boolean {
  const key = tables.meta.get(keyName);
  if (key === undefined) return () => false;
  return (content) => content.size > 0 && tables.mirrorEntries.isSuppressed(connector, hashOfContent(key, content));
}

interface Means {
  readonly tables: Tables;
  readonly randomness: Randomness;
}

/** Keeps a file from coming back. The rows name nothing. */
export function suppressFile(means: Means, connector: string, file: SuppressedFile): void {
  for (const hash of hashesOf(takeKey(means), file)) means.tables.mirrorEntries.suppress(connector, hash);
}

/** Keeps contents from coming back under other names. Many files are empty, so an empty content says nothing. */
export function suppressContents(means: Means, connector: string, contents: readonly SuppressedContent[]): void {
  const key = takeKey(means);
  const told = contents.filter(({ size }) => size > 0);
  for (const content of told) means.tables.mirrorEntries.suppress(connector, hashOfContent(key, content));
}

function takeKey({ tables, randomness }: Means): string {
  let key = tables.meta.get(keyName);
  if (key === undefined) {
    key = Buffer.from(randomness.bytes(32)).toString('hex');
    tables.meta.set(keyName, key);
  }
  return key;
}

/** Names that a usual disk cannot tell apart are one. */
function hashesOf(key: string, { path, sourceId }: FoundFile): Buffer[] {
  const names = path === null ? [] : [`path ${path.normalize('NFC').toLowerCase()}`];
  if (sourceId !== null) names.push(`id ${sourceId}`);
  return names.map((name) => hash(key, name));
}

const hashOfContent = (key: string, { sha256 }: SuppressedContent): Buffer => hash(key, `content ${sha256}`);

const hash = (key: string, text: string): Buffer => createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest();
