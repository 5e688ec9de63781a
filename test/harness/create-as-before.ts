import type { Document } from '../../lib/domain/document.js';
import { parseLocation } from '../../lib/domain/location.js';
import { prepareSource } from '../../lib/operations/content.js';
import { createDocument } from '../../lib/operations/create-document.js';
import { perform } from '../../lib/operations/perform.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { operator } from './service.js';

/** Creates a document as releases did that asked less of names and labels. */
export async function createAsBefore(
  workspace: Workspace,
  location: string,
  { text = 'text', labels = [] }: { readonly text?: string; readonly labels?: readonly string[] } = {},
): Promise<Document> {
  const { result } = await perform(
    workspace,
    operator,
    { ...createDocument, prepare: (context, { content }) => prepareSource(context, content) },
    { location: parseLocation(location), content: { bytes: Buffer.from(text) }, labels, message: null },
  );
  return result;
}
