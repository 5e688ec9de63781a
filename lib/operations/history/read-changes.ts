import type { Document, Version } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { Role } from '../../domain/role.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import { asUtf8InSteps } from '../../text/charset.js';
import { compareBytes } from '../../text/compare-bytes.js';
import { cutUnified, type DiffPart } from '../../text/text-diff.js';
import { readDocument, type DocumentRead } from '../documents/read-document.js';
import type { ReadOperation } from '../operation.js';
import { compareVersions, type NoDiff } from './compare-versions.js';
import { requireVersion } from './require-version.js';

export interface ReadChangesInput {
  readonly location: Location;
  /** The version that the caller had. */
  readonly since: string;
  /** The version that must still be current. Left out: any. */
  readonly expected?: string | undefined;
  /** Only changes that begin with this line of the current text or a later one. Left out: all. */
  readonly fromLine?: number | undefined;
  /** Of the diff. UTF-16 units. */
  readonly maxChars: number;
}

/** The changes of a document since a version. */
export interface ReadChanges {
  readonly document: Document;
  readonly role: Role;
  readonly since: Version;
  /** The versions after it, the newest first; the last few. */
  readonly versions: readonly Version[];
  /** How many older ones among them are left out. */
  readonly leftOut: number;
  readonly diff: DiffPart | null;
  /** The reason for a missing diff. */
  readonly why: NoDiff | null;
}

/** Versions in one answer. */
const maxVersions = 20;
/** Maximum bytes of a compared text. */
const maxBytes = 16 * 1024 * 1024;
const unchanged: DiffPart = { text: '', isCut: false, nextLine: null };

/** The text in UTF-8. */
async function readBytes({ version, bytes, openStream }: DocumentRead): Promise<Buffer> {
  const inUtf8 = (read: Buffer) => runCooperatively(asUtf8InSteps(read, version.mediaType));
  if (bytes !== null || openStream === null) return inUtf8(bytes ?? Buffer.alloc(0));
  const pieces: Buffer[] = [];
  for await (const piece of await openStream()) pieces.push(piece as Buffer);
  return inUtf8(Buffer.concat(pieces));
}

function obstacleTo(versions: readonly Version[]): NoDiff | null {
  if (versions.some(({ kind }) => kind !== 'text')) return 'binary';
  return versions.some(({ size }) => size > maxBytes) ? 'too_large' : null;
}

/**
 * The changes since a version that the caller had: by whom, when and why, and what is different in the text now.
 * Reader.
 * @throws Refusal NOT_FOUND; CONFLICT `stale_if_match` where a version was expected
 */
export const readChanges: ReadOperation<ReadChangesInput, ReadChanges> = {
  kind: 'read',
  name: compareVersions.name,
  isHeavy: true,
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location, since }) => ({ target: location, detail: { from: since } }),
  async run(context, { location, since, expected, fromLine = 0, maxChars }) {
    const { view } = context;
    requireVersion(view, location, since, 'since_commit');
    const document = view.document(location);
    const role = view.roleAt(location);
    const older = document === undefined ? undefined : view.version(document, since);
    if (document === undefined || role === undefined || older === undefined) throw notFound();
    const { current } = document;
    const why = obstacleTo([older, current]);
    const isSame = older.sha256 === current.sha256;
    const withContent = why === null && !isSame;
    // Both begin in this turn of the event loop, by the same view.
    const reads = [since, current.id].map(async (versionId) =>
      readDocument.run(context, { location, versionId, expected, withContent }),
    );
    const found = view.tables.versions.before(document.number, current.sequence + 1, maxVersions);
    const versions = found.filter(({ sequence }) => sequence > older.sequence);
    const leftOut = current.sequence - older.sequence - versions.length;
    const changes = { document, role, since: older, versions, leftOut };
    const [from, to] = await Promise.all(reads);
    if (why !== null || from === undefined || to === undefined) return { ...changes, diff: null, why };
    if (isSame) return { ...changes, diff: unchanged, why };
    // One after the other: each stream takes one of the caller's few downloads.
    const before = await readBytes(from);
    const after = await readBytes(to);
    // Text of another charset can be longer in UTF-8.
    if (before.length > maxBytes || after.length > maxBytes) return { ...changes, diff: null, why: 'too_large' };
    const hunks = await compareBytes(before, after, yieldToLoop);
    if (hunks === null) return { ...changes, diff: null, why: 'too_large' };
    return { ...changes, diff: cutUnified(hunks, fromLine, maxChars), why };
  },
  noteResult: ({ document }) => ({ version: document.current.id, documentId: document.id }),
};
