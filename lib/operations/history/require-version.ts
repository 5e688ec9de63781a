import type { Location } from '../../domain/location.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { View } from '../../view/view.js';

/** Versions that a refusal names. */
const maxNamed = 5;

/**
 * Requires that a document that the caller reads has the version. Where it reads none, the read itself refuses.
 * @param versionId left out for the current one
 * @param field the caller's name for it
 * @throws Refusal INVALID_REQUEST `no_such_version`, with the newest versions
 */
export function requireVersion(view: View, location: Location, versionId: string | undefined, field: string): void {
  if (versionId === undefined) return;
  const document = view.document(location);
  if (document === undefined || view.version(document, versionId) !== undefined) return;
  const versions = view.tables.versions.before(document.number, document.current.sequence + 1, maxNamed);
  throw invalidRequest('no_such_version', `${field} names no version of the document.`, { field, versions });
}
