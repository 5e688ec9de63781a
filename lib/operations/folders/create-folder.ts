import { requireFree, requireWritable } from '../../changes/location-guards.js';
import { requirePortable } from '../../changes/portable-names.js';
import { recordEvent } from '../../changes/record-event.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Folder } from '../../domain/document.js';
import { requireNewLocation, type Location } from '../../domain/location.js';
import { runAtOnce } from '../../scheduling/in-steps.js';
import { descentAbove, toFolder } from '../../view/locate.js';
import type { WriteOperation } from '../operation.js';

/**
 * Creates an empty folder that stays. An empty file holds its place in git.
 * @throws Refusal CONFLICT `name_taken`; INVALID_REQUEST `read_only_source`; NOT_FOUND
 */
export function applyCreateFolder(context: WriteContext, location: Location): Folder {
  const steps = requireFree(context, location);
  requirePortable(context, location, { steps });
  const { mirror } = descentAbove(location, steps).folder;
  requireWritable(context.transaction.tables, mirror);
  runAtOnce(recordEvent(context, { event: { type: 'create-folder', location }, files: [], message: null }));
  return toFolder(location, mirror);
}

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
