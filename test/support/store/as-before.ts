import type { Caller } from '../../../lib/domain/caller.js';
import type { Document } from '../../../lib/domain/document.js';
import { joinLocation, parentOf, parseLocation } from '../../../lib/domain/location.js';
import { prepareSource } from '../../../lib/operations/documents/content.js';
import { createDocument } from '../../../lib/operations/documents/create-document.js';
import { perform } from '../../../lib/operations/perform.js';
import { rename } from '../../../lib/operations/folders/relocate.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';
import { operator } from './service.js';
import { applyRelocate } from '../../../lib/operations/folders/relocate.js';

/** Creates a document like releases with fewer rules for names and labels. */
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

/** Renames like releases with fewer rules for names; without a look at the effect on access. */
export async function renameAsBefore(workspace: Workspace, caller: Caller, from: string, name: string): Promise<void> {
  const location = parseLocation(from);
  const asBefore: typeof rename = {
    ...rename,
    run(context, { acknowledged }) {
      const to = joinLocation(parentOf(location), name);
      return applyRelocate(context, { operation: 'rename', from: location, to, acknowledged });
    },
  };
  await perform(workspace, caller, asBefore, { location, name, acknowledged: true });
}
