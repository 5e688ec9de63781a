import type { Folder } from '../../domain/document.js';
import { rootLocation } from '../../domain/location.js';
import type { Page } from '../../domain/page.js';
import type { ListInput } from '../documents/list-documents.js';
import type { ReadOperation } from '../operation.js';

/** A folder on the way to a place for documents. */
export interface Target extends Folder {
  /** Whether the caller may put documents there. */
  readonly mayWrite: boolean;
}

export interface Targets extends Page<Target> {
  /** Whether the caller may put documents into the asked folder itself. */
  readonly mayWrite: boolean;
}

/**
 * Folders directly in a folder, if the caller reaches them or anything in them, with whether the caller may write there.
 * An absent folder has none.
 */
export const listTargets: ReadOperation<ListInput, Targets> = {
  kind: 'read',
  name: 'folder.list_targets',
  needs: () => [],
  note: ({ location }) => ({ target: location }),
  run({ view }, { location, after, limit }) {
    const isReadOnly = location !== rootLocation && view.folder(location)?.readOnly === true;
    const { items, next } = view.folders(location, after, limit);
    return {
      mayWrite: view.reach.holds('editor', location) && !isReadOnly,
      items: items.map((folder) => ({
        ...folder,
        mayWrite: view.reach.holds('editor', folder.location) && !folder.readOnly,
      })),
      next,
    };
  },
};
