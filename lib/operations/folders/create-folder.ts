import type { Folder } from '../../domain/document.js';
import { requireNewLocation, type Location } from '../../domain/location.js';
import { applyCreateFolder } from '../../changes/apply-create-folder.js';
import type { WriteOperation } from '../operation.js';

/** Creates an empty folder that stays. Editor at the location. */
export const createFolder: WriteOperation<{ readonly location: Location }, Folder> = {
  kind: 'write',
  name: 'folder.create',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location }) => ({ target: location }),
  run(context, { location }) {
    requireNewLocation(location);
    return applyCreateFolder(context, location);
  },
};
