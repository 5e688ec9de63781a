import type { Location } from '../../domain/location.js';
import { findDocument, findFolder } from '../../view/locate.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';

/** Whether a document or a folder is at the location; null for neither. Admin. */
export const findScopeType: ReadOperation<{ readonly location: Location }, 'folder' | 'document' | null> = {
  kind: 'read',
  name: 'grant.find_scope',
  needs: () => adminNeeds,
  note: ({ location }) => ({ target: location }),
  run({ view: { tables } }, { location }) {
    if (findDocument(tables, location) !== undefined) return 'document';
    return findFolder(tables, location) === undefined ? null : 'folder';
  },
};
