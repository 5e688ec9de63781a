import type { Document } from '../../domain/document.js';
import { nameOf } from '../../domain/location.js';
import type { SearchRequest } from '../../search/search-index.js';
import type { View } from '../../view/view.js';
import type { Workspace } from '../../workspace/workspace.js';
import { readIfPossible } from './read-if-possible.js';

/** A word that the caller may have meant, as a document in reach has it. */
export interface SuggestedWord {
  readonly word: string;
  readonly document: Document;
}

/** For a search without a hit: what its words may have been, at most three. */
export async function suggestWords(
  workspace: Workspace,
  request: SearchRequest,
  currentView: () => View,
): Promise<SuggestedWord[]> {
  const suggested: SuggestedWord[] = [];
  for (const { hit, query } of await workspace.search.suggest(request)) {
    const document = currentView().document(hit.location);
    if (document === undefined || document.number !== hit.key) continue;
    const text = await readIfPossible(workspace, document);
    for (const [place, shown] of [text, nameOf(hit.location)].entries()) {
      if (shown === null) continue;
      const chunkStart = place === 0 ? hit.chunkStart : 0;
      const { snippet, highlights } = await workspace.search.snippet({ ...hit, chunkStart }, shown, query);
      const [start, end] = highlights[0] ?? [0, 0];
      if (start === end) continue;
      suggested.push({ word: snippet.slice(start, end), document });
      break;
    }
  }
  return suggested;
}
