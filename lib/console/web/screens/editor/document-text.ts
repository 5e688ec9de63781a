import { apiAddress, request } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { encodeLocation } from '../../navigation/addresses.ts';

export interface Author {
  readonly id: string;
  readonly kind: 'person' | 'agent' | 'connector' | 'operator';
  readonly display_name: string;
}

/** A claim on a document, as its record and a list of claims have it. */
export interface Claim {
  readonly holder: Author;
  /** The heading of the claimed section; null for the whole document. */
  readonly section: string | null;
  readonly expires_at: string;
}

/** The record of a document, as far as the editor needs it. */
interface DocumentRecord {
  readonly location: string;
  readonly name: string;
  readonly kind: 'text' | 'binary';
  readonly media_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly etag: string;
  readonly version: {
    readonly id: string;
    readonly created_at: string;
    readonly author: Author;
    readonly message: string | null;
  };
  readonly read_only: boolean;
  readonly claim: Claim | null;
}

interface DocumentWithContent extends DocumentRecord {
  readonly content: string;
  readonly encoding: 'utf-8' | 'base64';
}

/** A version of a document whose text can be edited. */
export interface StoredText {
  readonly etag: string;
  readonly text: string;
  readonly at: string;
  readonly author: Author;
  readonly note: string | null;
  readonly isMarkdown: boolean;
  readonly isReadOnly: boolean;
  readonly claim: Claim | null;
}

/** Why a document cannot be edited here. A new version of it can be uploaded. */
export type Uneditable = 'binary' | 'not-utf8' | 'too-large';

/** A document that the editor does not open, because it could not give back the same bytes. */
export class CannotEdit extends Error {
  override readonly name = 'CannotEdit';
  readonly why: Uneditable;
  /** Undefined where the service did not say it. */
  readonly etag: string | undefined;

  constructor(why: Uneditable, etag?: string) {
    super(`The document cannot be edited: ${why}.`);
    this.why = why;
    this.etag = etag;
  }
}

/** Larger texts make typing slow. Bytes. */
export const largestEdited = 4 * 1024 ** 2;

const addressOfDocument = (workspace: string, location: string): string =>
  apiAddress(workspace, `/documents/${encodeLocation(location)}`);

/**
 * Reads the current text of a document.
 * @throws Problem; CannotEdit where its bytes are no text, or too many
 */
export async function readText(workspace: string, location: string, signal?: AbortSignal): Promise<StoredText> {
  const address = addressOfDocument(workspace, location);
  const found = await readRecord(address, signal);
  if (found.kind === 'binary') throw new CannotEdit('binary', found.etag);
  if (found.size > largestEdited) throw new CannotEdit('too-large', found.etag);
  if (found.encoding !== 'utf-8' || !(await isDigestOf(found.sha256, found.content))) {
    throw new CannotEdit('not-utf8', found.etag);
  }
  return {
    etag: found.etag,
    text: found.content,
    at: found.version.created_at,
    author: found.version.author,
    note: found.version.message,
    isMarkdown: found.media_type.startsWith('text/markdown'),
    isReadOnly: found.read_only,
    claim: found.claim,
  };
}

async function readRecord(address: string, signal: AbortSignal | undefined): Promise<DocumentWithContent> {
  try {
    const answer = await request(address, {
      headers: { Accept: 'application/json' },
      ...(signal && { signal }),
    });
    return (await answer.json()) as DocumentWithContent;
  } catch (error) {
    if (error instanceof Problem && error.reason === 'use_raw_form') throw new CannotEdit('too-large');
    throw error;
  }
}

/**
 * Whether the text has exactly the bytes that are stored. A browser computes digests over https and on the machine
 * itself only; elsewhere the service's word must do.
 */
async function isDigestOf(digest: string, text: string): Promise<boolean> {
  if (crypto.subtle === undefined) return true;
  const found = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(found)].map((byte) => byte.toString(16).padStart(2, '0')).join('') === digest;
}

/** Stores a new version, if the document is still the one that was changed. @returns its ETag. @throws Problem */
export async function updateText(
  workspace: string,
  location: string,
  { etag, text, note }: { readonly etag: string; readonly text: string; readonly note: string },
): Promise<string> {
  const answer = await request(addressOfDocument(workspace, location), {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', 'If-Match': etag },
    body: JSON.stringify({ content: text, ...noteOf(note) }),
  });
  return etagOf(answer);
}

/** Stores a file as a new version. @param etag undefined: the service is asked first. @throws Problem */
export async function uploadVersion(
  workspace: string,
  location: string,
  file: Blob,
  etag: string | undefined,
): Promise<void> {
  const address = addressOfDocument(workspace, location);
  const known =
    etag ?? etagOf(await request(address, { method: 'HEAD', headers: { Accept: 'application/octet-stream' } }));
  await request(address, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/octet-stream', 'If-Match': known },
    body: file,
  });
}

/** Creates a document. The same key twice makes it once. @returns its ETag. @throws Problem */
export async function createText(
  workspace: string,
  {
    key,
    location,
    text,
    note,
  }: { readonly key: string; readonly location: string; readonly text: string; readonly note: string },
): Promise<string> {
  const answer = await request(apiAddress(workspace, '/documents'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify({ location, content: text, ...noteOf(note) }),
  });
  return etagOf(answer);
}

const noteOf = (note: string): { message?: string } => (note.trim() === '' ? {} : { message: note });

function etagOf(answer: Response): string {
  const etag = answer.headers.get('ETag');
  if (etag === null) throw new Problem('INTERNAL', 'The service did not name the version.');
  return etag;
}
