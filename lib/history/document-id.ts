import { createHash } from 'node:crypto';
import type { Location } from '../domain/location.js';

/** A document's id: made once from its first version and place, so the repository alone reproduces it. */
export function makeDocumentId(versionId: string, location: Location): string {
  return `doc_${createHash('sha256').update(`${versionId}\0${location}`).digest('hex').slice(0, 32)}`;
}
