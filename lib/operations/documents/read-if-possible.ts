import type { Document } from '../../domain/document.js';
import type { Workspace } from '../../workspace/workspace.js';

/**
 * The text of a document that a search found; null where it has none, and for one that cannot be read: it takes the snippet
 * of its own hit away, and not the answer.
 */
export async function readIfPossible(
  workspace: Workspace,
  { number, location, current }: Document,
): Promise<string | null> {
  try {
    return await workspace.texts.read({ ...current, number, location });
  } catch (error) {
    workspace.onFault('A text that a search found could not be read', error);
    return null;
  }
}
