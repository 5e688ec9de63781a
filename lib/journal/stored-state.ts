import { readHead } from '../audit/chain.js';
import type { WorkspaceState } from './write-transaction.js';
import type { Tables } from '../sidecar/tables.js';

/** The state of the workspace, according to its file. */
export function readState(tables: Tables): WorkspaceState {
  return {
    head: tables.meta.get('head') ?? null,
    tree: tables.meta.get('tree') ?? null,
    commits: Number(tables.meta.get('commits') ?? '0'),
    storedBytes: Number(tables.meta.get('stored_bytes') ?? '0'),
    chain: readHead(tables.audit),
  };
}

/** Writes a group's changes of it, in the group's transaction. */
export function writeState(tables: Tables, before: WorkspaceState, after: WorkspaceState): void {
  if (after.head !== before.head && after.head !== null) tables.meta.set('head', after.head);
  if (after.tree !== before.tree && after.tree !== null) tables.meta.set('tree', after.tree);
  if (after.commits !== before.commits) tables.meta.set('commits', String(after.commits));
  if (after.storedBytes !== before.storedBytes) tables.meta.set('stored_bytes', String(after.storedBytes));
}
