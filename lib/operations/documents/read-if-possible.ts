import type { Version } from '../../domain/document.js';
import type { Workspace } from '../../workspace/workspace.js';

/**
 * The text of a version that a search found; null for a binary one, and for one that cannot be read: it takes the snippet
 * of its own hit away, and not the answer.
 */
export async function readIfPossible(workspace: Workspace, version: Version): Promise<string | null> {
  try {
    return await workspace.readIndexedText(version);
  } catch (error) {
    workspace.onFault('A text that a search found could not be read', error);
    return null;
  }
}
