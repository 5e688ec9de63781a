import type { Folder } from '../../domain/document.js';
import type { Page } from '../../domain/page.js';
import type { ListInput } from '../documents/list-documents.js';
import type { ReadOperation } from '../operation.js';

/** Folders directly in a folder, if the caller reaches them or anything in them. */
export const listFolders: ReadOperation<ListInput, Page<Folder>> = {
  kind: 'read',
  name: 'folder.list',
  needs: () => [],
  note: ({ location }) => ({ target: location }),
  run: ({ view }, { location, after, limit }) => view.folders(location, after, limit),
};
