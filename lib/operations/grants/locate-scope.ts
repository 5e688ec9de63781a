import type { Scope } from '../../domain/grant.js';
import type { Location } from '../../domain/location.js';
import type { Tables } from '../../sidecar/tables.js';
import { findDocumentById } from '../../view/locate.js';

/** Where a grant is in force now. Undefined for a deleted document: a grant on it opens nothing. */
export function locateScope(tables: Tables, scope: Scope): Location | undefined {
  return scope.type === 'folder' ? scope.location : findDocumentById(tables, scope.documentId)?.location;
}
