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
import { extractWithin } from '../documents/extract-text.js';
import type { ReadContext, ReadOperation } from '../operation.js';
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
  /** Whether a text of the two was made of a file. */
  readonly isExtracted: boolean;
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

/** A text's bytes in UTF-8, as it is or made of the file of a version. Undefined where none can be made. */
async function readComparable(context: ReadContext, read: DocumentRead): Promise<Buffer | undefined> {
  if (read.version.kind === 'text') return readBytes(read);
  const found = await extractWithin(context, read);
  return 'text' in found ? Buffer.from(found.text) : undefined;
}

function obstacleTo(versions: readonly Version[], { workspace }: ReadContext, { name }: Document): NoDiff | null {
  const { files } = workspace.texts;
  if (!versions.every(({ kind, mediaType }) => kind === 'text' || files.makesText(mediaType, name))) return 'binary';
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
    const why = obstacleTo([older, current], context, document);
    const isSame = older.sha256 === current.sha256;
    const isExtracted = [older, current].some(({ kind }) => kind !== 'text');
    // Both begin in this turn of the event loop, by the same view.
    const reads = [older, current].map(async ({ id: versionId, kind }) =>
      readDocument.run(context, {
        location,
        versionId,
        expected,
        withContent: why === null && !isSame && kind === 'text',
      }),
    );
    const found = view.tables.versions.before(document.number, current.sequence + 1, maxVersions);
    const versions = found.filter(({ sequence }) => sequence > older.sequence);
    const leftOut = current.sequence - older.sequence - versions.length;
    const changes = { document, role, since: older, versions, leftOut, isExtracted: false };
    const [from, to] = await Promise.all(reads);
    if (why !== null || from === undefined || to === undefined) return { ...changes, diff: null, why };
    if (isSame) return { ...changes, diff: unchanged, why };
    // One after the other: each stream takes one of the caller's few downloads.
    const before = await readComparable(context, from);
    const after = await readComparable(context, to);
    if (before === undefined || after === undefined) return { ...changes, diff: null, why: 'binary' };
    // Text of another charset can be longer in UTF-8.
    if (before.length > maxBytes || after.length > maxBytes) return { ...changes, diff: null, why: 'too_large' };
    const hunks = await compareBytes(before, after, yieldToLoop);
    if (hunks === null) return { ...changes, diff: null, why: 'too_large' };
    return { ...changes, isExtracted, diff: cutUnified(hunks, fromLine, maxChars), why };
  },
  noteResult: ({ document }) => ({ version: document.current.id, documentId: document.id }),
};
