import type { SkipReason } from '../../domain/connector.js';
import type { Steps } from '../../scheduling/in-steps.js';
import type { MirrorEntry } from '../../sidecar/tables/mirror-entry-table.js';
import type { SourceEntry } from '../source.js';
import type { HeldEntry } from './filter-entries.js';

/** What a source holds now. */
export interface Holdings {
  /** By the source's own path. */
  readonly entries: Map<string, HeldEntry>;
  /** Files and folders that cannot be seen now, with the reason in words. */
  readonly unseen: Map<string, string>;
}

/** Reasons that lie in the other files. Such a file is looked at again when anything changes. */
const decidedHere: ReadonlySet<SkipReason> = new Set(['name_twin', 'name_taken', 'unreadable']);

/** What a snapshot lists. Where a path is listed twice, the last entry counts. */
export function* takeSnapshot(listed: readonly SourceEntry[]): Steps<Holdings> {
  const holdings: Holdings = { entries: new Map(), unseen: new Map() };
  for (const entry of listed) {
    yield;
    if (entry.type === 'unreadable') holdings.unseen.set(entry.path, entry.detail);
    else if (entry.type !== 'removed') holdings.entries.set(entry.path, entry);
  }
  return holdings;
}

/**
 * What a source holds after its changes since the last run.
 * @param rows what it held then
 */
export function* applyDelta(rows: Iterable<MirrorEntry>, changes: readonly SourceEntry[]): Steps<Holdings> {
  const entries = new Map<string, HeldEntry>();
  const unseen = new Map<string, string>();
  // Where each file was last seen, and which file is there now: another one can have taken its place.
  const paths = new Map<string, string>();
  const ids = new Map<string, string>();
  const came = new Set<string>();
  for (const row of rows) {
    yield;
    const entry = asHeld(row);
    if (entry !== undefined) entries.set(row.path, entry);
    if (row.sourceId !== null) paths.set(row.sourceId, row.path);
    if (row.sourceId !== null) ids.set(row.path, row.sourceId);
  }
  const remove = (path: string): void => {
    // A row has the usual form of Unicode; the source's own form can be another.
    const key = entries.has(path) ? path : path.normalize('NFC');
    entries.delete(key);
    ids.delete(key);
  };
  for (const change of changes) {
    yield;
    if (change.type === 'unreadable') {
      unseen.set(change.path, change.detail);
      continue;
    }
    const id = change.type === 'skipped' ? undefined : change.id;
    const before = id === undefined ? undefined : paths.get(id);
    if (before !== undefined && ids.get(before) === id) remove(before);
    if (id !== undefined) paths.delete(id);
    if (change.type === 'removed') {
      const { path } = change;
      // A file of before can have had no id. One that came by this list is another file.
      const isOfBefore = path !== undefined && before === undefined && !ids.has(path) && !came.has(path);
      if (path !== undefined && (id === undefined || isOfBefore)) remove(path);
      continue;
    }
    remove(change.path);
    entries.set(change.path, change);
    came.add(change.path);
    if (id === undefined) continue;
    paths.set(id, change.path);
    ids.set(change.path, id);
  }
  return { entries, unseen };
}

function asHeld({ path, sourceId, version, reason, detail }: MirrorEntry): HeldEntry | undefined {
  // It may be a folder. The source names it again, if it still is there.
  if (reason === 'unreadable' && version === '') return undefined;
  if (reason === null || decidedHere.has(reason)) {
    return { type: 'file', path, version, ...(sourceId === null ? {} : { id: sourceId }) };
  }
  return { type: 'skipped', path, version, reason, ...(detail === null ? {} : { detail }) };
}
