import type { Readable } from 'node:stream';
import type { Document, Version } from '../domain/document.js';
import type { Location } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import type { Role } from '../domain/role.js';
import { stale } from '../workspace/apply-update.js';
import { stagedFrom } from '../workspace/prepare-content.js';
import type { ReadOperation } from './operation.js';

export interface ReadDocumentInput {
  readonly location: Location;
  /** An older version of this document; left out for the current one. */
  readonly versionId?: string | undefined;
  /** The version that must be the current one still; left out where any will do. */
  readonly expected?: string | undefined;
  /** Whether the content itself is wanted, and not only the record. */
  readonly withContent: boolean;
}

export interface DocumentRead {
  readonly document: Document;
  /** What the caller may do with it. */
  readonly role: Role;
  /** The version that was asked for. */
  readonly version: Version;
  /** Its bytes; null when the content was not asked for or comes as a stream. */
  readonly bytes: Buffer | null;
  /** Whether they were held in memory before: then the next read is likely to get the same object. */
  readonly isHeld: boolean;
  /** Opens the bytes of a large version as a stream; null when they are small. */
  readonly openStream: (() => Promise<Readable>) | null;
}

/** A document with one of its versions. Reader. @throws Refusal CONFLICT `stale_if_match` where one was expected */
export const readDocument: ReadOperation<ReadDocumentInput, DocumentRead> = {
  kind: 'read',
  name: 'document.read',
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location }) => ({ target: location }),
  run({ view, workspace }, { location, versionId, expected, withContent }) {
    const document = view.document(location);
    if (document === undefined) throw notFound();
    const version = versionId === undefined ? document.current : view.version(document, versionId);
    if (version === undefined) throw notFound();
    if (expected !== undefined && expected !== document.current.id) throw stale(document.current);
    const role = view.roleAt(location);
    if (role === undefined) throw notFound();
    const read = { document, role, version, bytes: null, isHeld: false, openStream: null };
    if (!withContent) return read;
    if (version.size > stagedFrom) {
      return { ...read, openStream: () => workspace.objects.streamBlob(version.blobOid) };
    }
    const known = workspace.objects.blobInMemory(version.blobOid);
    if (known !== undefined) return { ...read, bytes: known, isHeld: true };
    return workspace.objects.readBlob(version.blobOid).then((bytes) => ({ ...read, bytes }));
  },
  noteResult: ({ document, version }) => ({ version: version.id, documentId: document.id }),
};
