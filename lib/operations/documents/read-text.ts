import type { Document, Version } from '../../domain/document.js';
import { stagedFrom } from '../../changes/prepare-content.js';
import type { View } from '../../view/view.js';
import type { ReadContext } from '../operation.js';
import type { Location } from '../../domain/location.js';

/** A document's text as of one version, read before a turn; the turn compares the version before it trusts it. */
export interface ReadText {
  readonly versionId: string;
  /** undefined for what is no text, or too large to look into. */
  readonly text: string | undefined;
}

/** The version's text, or undefined for what is no text, or too large to look into. @throws what reading throws */
export async function readVersionText(
  { objects }: ReadContext['workspace'],
  version: Version,
): Promise<string | undefined> {
  if (version.kind !== 'text' || version.size > stagedFrom) return undefined;
  return (await objects.readContent(version)).toString('utf8');
}

/** The current text of the document at a location; undefined when there is none that the view shows. */
export async function readCurrentText(context: ReadContext, location: Location): Promise<ReadText | undefined> {
  const document = context.view.document(location);
  if (document === undefined) return undefined;
  return { versionId: document.current.id, text: await readVersionText(context.workspace, document.current) };
}

/** A live document that the view shows, by its internal number. */
export function findReadable(view: View, number: number): Document | undefined {
  const id = view.tables.documents.byNumber(number)?.id;
  return id === undefined ? undefined : view.documentById(id);
}
