import type { Document, Version } from '../../domain/document.js';
import { stagedFrom } from '../../changes/prepare-content.js';
import type { ReadText } from '../../changes/read-sections.js';
import { invalidRequest } from '../../domain/refusal.js';
import { charsetOf, decodeAs, encodeText, type Charset } from '../../text/charset.js';
import type { View } from '../../view/view.js';
import type { ReadContext } from '../operation.js';
import type { Location } from '../../domain/location.js';

/** The version's text. Undefined for binary content, and for text too large to read. @throws the errors of reading */
export async function readVersionText(
  workspace: ReadContext['workspace'],
  version: Version,
): Promise<string | undefined> {
  return (await readWithCharset(workspace, version))?.text;
}

export interface ReadVersion {
  readonly text: string;
  /** How its bytes were read. */
  readonly charset: Charset;
}

/** The same with its charset. */
export async function readWithCharset(
  { objects }: ReadContext['workspace'],
  version: Version,
): Promise<ReadVersion | undefined> {
  if (version.kind !== 'text' || version.size > stagedFrom) return undefined;
  const bytes = await objects.readContent(version);
  const charset = charsetOf(bytes, version.mediaType);
  return { text: decodeAs(bytes, charset), charset };
}

const wayOut = 'write the whole document anew: it is UTF-8 then.';

/**
 * The bytes of an edited text, in the charset of the version that was edited.
 * @throws Refusal INVALID_REQUEST `bad_field` for a character that the charset does not have
 */
export function requireBytes(text: string, charset: Charset, { mediaType }: Version): Buffer {
  const bytes = encodeText(text, charset, mediaType);
  if (Buffer.isBuffer(bytes)) return bytes;
  const { character } = bytes;
  if (character === undefined) {
    const message = `The document is in ${bytes.charset}, in which this text cannot be written here. To write it, ${wayOut}`;
    throw invalidRequest('bad_field', message, { field: 'edits' });
  }
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const message = `The document is in ${bytes.charset}, which has no ${JSON.stringify(character)} (U+${code}). Leave it out, or ${wayOut}`;
  throw invalidRequest('bad_field', message, { field: 'edits' });
}

/** The current text of the document at a location. Undefined when the view shows none. */
export async function readCurrentText(context: ReadContext, location: Location): Promise<ReadText | undefined> {
  const document = context.view.document(location);
  if (document === undefined) return undefined;
  return { versionId: document.current.id, text: await readVersionText(context.workspace, document.current) };
}

/**
 * The text that a write will replace, where sections of it are claimed: the write may rename or move their headings.
 * Undefined where none is, and for a text that cannot be read, since a write replaces also that.
 */
export async function readClaimedText(context: ReadContext, location: Location): Promise<ReadText | undefined> {
  const { workspace, caller } = context;
  const view = workspace.view(caller);
  const document = view.document(location);
  if (document?.claims.some(({ section }) => section !== null) !== true) return undefined;
  try {
    return { versionId: document.current.id, text: await readVersionText(workspace, document.current) };
  } catch {
    return undefined;
  }
}

/** A live document that the view shows, by its internal number. */
export function findReadable(view: View, number: number): Document | undefined {
  const id = view.tables.documents.byNumber(number)?.id;
  return id === undefined ? undefined : view.documentById(id);
}
