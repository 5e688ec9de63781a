import { formatEtag } from '../domain/etag.js';
import type { RelocationResult } from '../changes/apply-relocate.js';
import { answerJson, type Answer } from './answer.js';
import { presentAccessChange } from './present-access-change.js';
import { presentDocument } from './present-document.js';
import { presentFolder } from './present-folder.js';

/** The description's `Relocated`: the record as it is now, where it came from, and who lost access by it. */
export function presentRelocation({ moved, from, to, losses }: RelocationResult): Answer {
  const change = { from, to, losses: losses.map(presentAccessChange) };
  if (moved.type === 'folder') return answerJson(200, { ...presentFolder(moved.folder), ...change });
  const { document } = moved;
  return answerJson(200, { ...presentDocument(document), ...change }, { ETag: formatEtag(document.current.id) });
}
