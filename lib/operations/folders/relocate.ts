import type { AuditExtent } from '../../domain/audit-record.js';
import type { Precondition } from '../../domain/etag.js';
import { joinLocation, nameOf, parentOf, requireNewLocation, type Location } from '../../domain/location.js';
import type { RelocationResult } from '../../changes/apply-relocate.js';
import { applyRelocate } from '../../changes/apply-relocate.js';
import { folderExtent } from '../note-extent.js';
import type { AuditNote, WriteOperation } from '../operation.js';

interface Acknowledgement {
  readonly precondition?: Precondition | undefined;
  readonly acknowledged: boolean;
  readonly report?: string | undefined;
  /** A claim on which the writer relies. Refused when the claim is no longer in force. */
  readonly claimId?: string | undefined;
}

export interface RenameInput extends Acknowledgement {
  readonly location: Location;
  /** The new last segment. */
  readonly name: string;
}

export interface MoveInput extends Acknowledgement {
  readonly location: Location;
  readonly toFolder: Location;
  /** The new last segment. Left out: it keeps its name. */
  readonly name?: string | undefined;
}

function noteOf({ from, to, gains, losses, versionId, moved }: RelocationResult): AuditNote {
  const detail = { from, to, gains: gains.length, losses: losses.length };
  const note = { version: versionId, detail };
  return moved.type === 'document' ? { ...note, documentId: moved.document.id } : note;
}

/** A document is named by the record itself. */
function extentOf({ moved, to }: RelocationResult): AuditExtent | undefined {
  return moved.type === 'document' ? undefined : folderExtent(to);
}

function numberOf({ moved }: RelocationResult): number | null {
  return moved.type === 'document' ? moved.document.number : null;
}

const renamed = ({ location, name }: RenameInput): Location => joinLocation(parentOf(location), name);
const moved = ({ location, toFolder, name }: MoveInput): Location => joinLocation(toFolder, name ?? nameOf(location));

/** Renames a document or folder in its place. Editor at the old and at the new location. */
export const rename: WriteOperation<RenameInput, RelocationResult> = {
  kind: 'write',
  name: 'item.rename',
  needs: (input) => [
    { role: 'editor', location: input.location },
    { role: 'editor', location: renamed(input) },
  ],
  needsAgain: (input) => [{ role: 'editor', location: renamed(input) }],
  note: ({ location, name, acknowledged }) => ({ target: location, detail: { name, acknowledged } }),
  run(context, { location, name, ...rest }) {
    requireNewLocation(name, 'name');
    const to = joinLocation(parentOf(location), name);
    return applyRelocate(context, { operation: 'rename', from: location, to, ...rest });
  },
  extentOf: (_, __, result) => extentOf(result),
  noteResult: noteOf,
  documentNumber: numberOf,
};

/** Moves a document or folder into another folder, there under a new name if one is given. Editor at both ends. */
export const move: WriteOperation<MoveInput, RelocationResult> = {
  kind: 'write',
  name: 'item.move',
  needs: (input) => [
    { role: 'editor', location: input.location },
    { role: 'editor', location: moved(input) },
  ],
  // The role at the old place may have come from a grant that moved along.
  needsAgain: (input) => [{ role: 'editor', location: moved(input) }],
  note: ({ location, toFolder, name, acknowledged }) => ({
    target: location,
    detail: { to_folder: toFolder, ...(name !== undefined && { name }), acknowledged },
  }),
  run(context, { location, toFolder, name = nameOf(location), ...rest }) {
    // A missing folder is created.
    requireNewLocation(toFolder, 'to_folder');
    if (name !== nameOf(location)) requireNewLocation(name, 'name');
    const to = joinLocation(toFolder, name);
    return applyRelocate(context, { operation: 'move', from: location, to, ...rest });
  },
  extentOf: (_, __, result) => extentOf(result),
  noteResult: noteOf,
  documentNumber: numberOf,
};
