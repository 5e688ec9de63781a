import type { Readable } from 'node:stream';
import { sourceOf } from '../../limits/work-limits.js';
import type { Document, Version } from '../../domain/document.js';
import type { TextState } from '../../domain/extraction.js';
import { preconditionHolds, type Precondition } from '../../domain/etag.js';
import type { Location } from '../../domain/location.js';
import { invalidRequest, notFound, type Refusal } from '../../domain/refusal.js';
import type { Role } from '../../domain/role.js';
import type { ActivityKind } from '../../sidecar/tables/activity-table.js';
import type { View } from '../../view/view.js';
import { stale } from '../../changes/document-guards.js';
import { stagedFrom } from '../../changes/prepare-content.js';
import { RevocableStream } from '../revocable-stream.js';
import { fileOf } from '../../indexing/file-texts.js';
import type { ReadContext, ReadOperation } from '../operation.js';

export interface ReadDocumentInput {
  readonly location: Location;
  /** An older version of this document. Left out: the current one. */
  readonly versionId?: string | undefined;
  /** The version that must still be current. Left out: any. */
  readonly expected?: string | undefined;
  /** Whether to read the content, and not only the record. */
  readonly withContent: boolean;
  /** Whether the requested version is the one that the caller means. Left out: any. */
  readonly condition?: ((version: Version) => boolean) | undefined;
  /** The caller's versions. For these, only the record is read. */
  readonly known?: Precondition | undefined;
  /** Whether the record says how far the text of a file is. */
  readonly withTextState?: boolean | undefined;
  /** Whether the caller has the record too: then it is known only if the record cannot have changed since the version. */
  readonly knowsRecord?: boolean | undefined;
  /** Maximum bytes of content in the requested form. Left out: no limit. */
  readonly largest?: number | undefined;
  /** The first wanted byte of a version; infinite for a part without bytes. Left out, or undefined: any. */
  readonly firstByte?: ((version: Version) => number | undefined) | undefined;
}

export interface DocumentRead {
  readonly document: Document;
  /** The caller's role on it. */
  readonly role: Role;
  /** The requested version. */
  readonly version: Version;
  /** Whether the caller has it already. */
  readonly isKnown: boolean;
  /** How far the text of a file is, if it was asked for. Undefined for texts, and for older versions: theirs is not kept. */
  readonly text?: TextState | undefined;
  /** Its bytes. Null when only the record was requested, or when the content is a stream. */
  readonly bytes: Buffer | null;
  /** Whether they came from memory: then the next read is likely to get the same object. */
  readonly isHeld: boolean;
  /**
   * Opens the bytes of a large version as a stream. The stream ends when the caller loses its reach. Null for a small
   * version.
   */
  readonly openStream: (() => Promise<Readable>) | null;
}

/** Activities that are looked at. Where there are more, the record counts as changed. */
const maxActivities = 32;

/**
 * Whether the record cannot have changed since the version was made. Labels, claims and the source of a mirror are no
 * part of a version. Also a claim that ended can be in the caller's record, since it ends without a trace by the clock.
 */
function isRecordKept({ tables }: View, { number, source }: Document, version: Version): boolean {
  if (source !== undefined || version.author.kind === 'connector' || tables.claims.holdsAny(number)) return false;
  const kinds = tables.activities.kindsSince(number, version.sequence, maxActivities);
  const isOther = (kind: ActivityKind): boolean => kind === 'comment_added' || kind === 'comment_settled';
  return kinds.length < maxActivities && kinds.every(isOther);
}

/**
 * A document with one of its versions. Reader.
 * @throws Refusal CONFLICT `stale_if_match` where another one was meant; INVALID_REQUEST `use_raw_form` where it is too long
 * for the form: content is never cut; `range_not_satisfiable` where it ends before the first wanted byte
 */
export const readDocument: ReadOperation<ReadDocumentInput, DocumentRead> = {
  kind: 'read',
  name: 'document.read',
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location }) => ({ target: location }),
  run(context, input) {
    const reading = readVersion(context, input);
    return input.withTextState === true ? addTextState(context, reading) : reading;
  },
  noteResult: ({ document, version }) => ({ version: version.id, documentId: document.id }),
};

function readVersion(context: ReadContext, input: ReadDocumentInput): DocumentRead | Promise<DocumentRead> {
  const { view, workspace, caller } = context;
  const { location, versionId, expected, withContent, condition, known, knowsRecord, largest, firstByte } = input;
  const document = view.document(location);
  if (document === undefined) throw notFound();
  const version = versionId === undefined ? document.current : view.version(document, versionId);
  if (version === undefined) throw notFound();
  if (expected !== undefined && expected !== document.current.id) {
    throw stale(document.current, view.version(document, expected) === undefined ? { isUnknown: true } : {});
  }
  const role = view.roleAt(location);
  if (role === undefined) throw notFound();
  if (condition?.(version) === false) throw stale(document.current);
  const isKnown =
    known !== undefined &&
    preconditionHolds(known, version.id) &&
    (known.any ||
      knowsRecord !== true ||
      (!hasTextState(workspace, document, version) && isRecordKept(view, document, version)));
  const read = { document, role, version, isKnown, bytes: null, isHeld: false, openStream: null };
  if (!withContent || isKnown) return read;
  if (largest !== undefined && version.size > largest) throw tooLongForForm(version.size, largest);
  const first = firstByte?.(version);
  // No range fits an empty document, so it is sent as it is (RFC 9110 §14.2).
  if (first !== undefined && first >= version.size && version.size > 0) throw pastTheEnd(version.size);
  if (version.size > stagedFrom) {
    const revocableStream = new RevocableStream(context, readDocument.name, {
      target: location,
      documentId: document.id,
    });
    const openStream = async (): Promise<Readable> => {
      const release = await workspace.workLimits.downloads.take(sourceOf(workspace.name, caller));
      try {
        const content = revocableStream.guard(await workspace.objects.streamContent(version), document);
        return content.once('close', release);
      } catch (error) {
        release();
        throw error;
      }
    };
    return { ...read, openStream };
  }
  const held = workspace.objects.contentInMemory(version);
  if (held !== undefined) return { ...read, bytes: held, isHeld: true };
  return workspace.objects.readContent(version).then((bytes) => ({ ...read, bytes }));
}

/** Texts, which are most documents, are answered in the same turn and without a look at anything. */
function addTextState(
  { workspace }: ReadContext,
  reading: DocumentRead | Promise<DocumentRead>,
): DocumentRead | Promise<DocumentRead> {
  if (reading instanceof Promise) return reading.then((read) => addStateOf(workspace, read));
  return addStateOf(workspace, reading);
}

function addStateOf({ texts }: ReadContext['workspace'], read: DocumentRead): DocumentRead | Promise<DocumentRead> {
  const { document, version, isKnown } = read;
  if (isKnown || version.kind !== 'binary' || version.id !== document.current.id) return read;
  return texts.files.stateOf(fileOf(document, version)).then((text) => ({ ...read, text }));
}

/** Whether the record says how far its text is, which changes when no version is made. */
function hasTextState({ texts }: ReadContext['workspace'], { name }: Document, { kind, mediaType }: Version): boolean {
  return kind === 'binary' && texts.files.makesText(mediaType, name);
}

function pastTheEnd(size: number): Refusal {
  const message = `The document has ${size} bytes, and the range begins behind them.`;
  return invalidRequest('range_not_satisfiable', message, { size });
}

function tooLongForForm(size: number, limit: number): Refusal {
  const message = `The document has ${size} bytes; JSON carries up to ${limit}. Ask with Accept: application/octet-stream.`;
  return invalidRequest('use_raw_form', message, { limit, size });
}
