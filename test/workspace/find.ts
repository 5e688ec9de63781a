import { parseFolderLocation } from '../../lib/domain/location.js';
import { perform } from '../../lib/operations/perform.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { Actor } from '../support/store/actor.js';

/** The locations that a principal finds, the best first. */
export async function find(
  workspace: Workspace,
  principalId: string,
  query: string,
  folder = '',
  labels: readonly string[] = [],
): Promise<string[]> {
  const caller = new Actor(workspace, principalId).caller;
  const input = { query, location: parseFolderLocation(folder), labels, limit: 50, position: null };
  const { result } = await perform(workspace, caller, searchDocuments, input);
  return result.hits.map(({ document }) => document.location);
}
