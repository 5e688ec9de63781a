import type { Document, Version } from '../../domain/document.js';
import { stagedFrom } from '../../changes/prepare-content.js';
import type { ReadText } from '../../changes/read-sections.js';
import type { View } from '../../view/view.js';
import type { ReadContext } from '../operation.js';
import type { Location } from '../../domain/location.js';

/** The version's text. Undefined for binary content, and for text too large to read. @throws the errors of reading */
export async function readVersionText(
  { objects }: ReadContext['workspace'],
  version: Version,
): Promise<string | undefined> {
  if (version.kind !== 'text' || version.size > stagedFrom) return undefined;
  return (await objects.readContent(version)).toString('utf8');
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
