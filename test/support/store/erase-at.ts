import type { Caller } from '../../../lib/domain/caller.js';
import type { Erasure } from '../../../lib/domain/erasure.js';
import { nameOf, parseLocation, rootLocation } from '../../../lib/domain/location.js';
import { eraseDocument, previewErase } from '../../../lib/operations/documents/erase-document.js';
import { perform } from '../../../lib/operations/perform.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';
import { Actor } from './actor.js';
import { operator } from './service.js';

/** Looks at a document and has it erased; it is hidden when this returns. */
export async function eraseAt(
  workspace: Workspace,
  location: string,
  options: { isDeleted?: boolean; documentId?: string; caller?: Caller } = {},
): Promise<Erasure> {
  const { isDeleted = false, documentId, caller = operator } = options;
  const parsed = parseLocation(location);
  const { result: shown } = await perform(workspace, caller, previewErase, { location: parsed, isDeleted, documentId });
  const input = { location: parsed, confirmation: nameOf(parsed), documentId: shown.documentId };
  return (await perform(workspace, caller, eraseDocument, input)).result;
}

/** Every live document with its ETag and its text. */
export async function liveDocuments(workspace: Workspace): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const actor = new Actor(workspace, operator.principalId);
  // All are listed before the first read waits, because the view is over then.
  const documents = Array.from(workspace.view(operator).walk(rootLocation));
  for (const { location, current } of documents) {
    found[location] = `${current.id} ${await actor.read(location)}`;
  }
  return found;
}
