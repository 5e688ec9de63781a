import type { Folder } from '../domain/document.js';
import type { Location } from '../domain/location.js';
import { runAtOnce } from '../scheduling/in-steps.js';
import { descentAbove, toFolder } from '../view/locate.js';
import { requireFree, requireWritable } from './location-guards.js';
import { requirePortable } from './portable-names.js';
import { recordEvent } from './record-event.js';
import type { WriteContext } from './write-context.js';

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
