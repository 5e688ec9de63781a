import type { Change } from '../domain/change.js';
import type { Document, Folder } from '../domain/document.js';
import type { Erasure } from '../domain/erasure.js';
import { applyCreate } from './apply-create.js';
import { applyCreateFolder } from './apply-create-folder.js';
import { applyDelete, type Deletion } from './apply-delete.js';
import { applyErase } from './apply-erase.js';
import { applyImport, type ImportResult } from './apply-import.js';
import { applyRecover } from './apply-recover.js';
import { applyRelocate, type RelocationResult } from './apply-relocate.js';
import { applyRestore } from './apply-restore.js';
import { applyUndelete } from './apply-undelete.js';
import { applyUpdate } from './apply-update.js';
import type { WriteContext } from './write-context.js';

/** What each kind of change gives back. */
export interface ChangeResults {
  create: Document;
  update: Document;
  restore: Document;
  delete: Deletion;
  import: ImportResult;
  'create-folder': Folder;
  relocate: RelocationResult;
  undelete: Document;
  erase: Erasure;
  /** Id of the commit. */
  recover: string;
}

/**
 * The one funnel for content: every change of documents and folders, whatever face it came through, is applied here,
 * inside a turn of the journal, but for changes of many documents at once, which take steps. In this order: is it there and is it the one the writer knew; may it be written (no
 * mirror, no claim of someone else's); is there room; then trees and commit; then rows. The door has decided before
 * that the caller may, and records after that it did: all in the same transaction.
 * @throws Refusal as the change's own `apply…` says: NOT_FOUND, CONFLICT or INVALID_REQUEST; MissingTrees where trees
 * have to be fetched first, after which the journal runs the turn again
 */
export function applyChange<Type extends Change['type']>(
  context: WriteContext,
  change: Extract<Change, { type: Type }>,
): ChangeResults[Type];
export function applyChange(context: WriteContext, change: Change): ChangeResults[Change['type']] {
  switch (change.type) {
    case 'create':
      return applyCreate(context, change);
    case 'update':
      return applyUpdate(context, change);
    case 'restore':
      return applyRestore(context, change);
    case 'delete':
      return applyDelete(context, change);
    case 'import':
      return applyImport(context, change);
    case 'create-folder':
      return applyCreateFolder(context, change.location);
    case 'relocate':
      return applyRelocate(context, change);
    case 'undelete':
      return applyUndelete(context, change.location);
    case 'erase':
      return applyErase(context, change);
    case 'recover':
      return applyRecover(context, change.from);
  }
}
