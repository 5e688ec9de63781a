import type { Document } from '../domain/document.js';
import type { HistoryEntry } from '../domain/history-entry.js';
import { ancestorsOf, rebase, type Location } from '../domain/location.js';
import { roleContains } from '../domain/role.js';
import type { DeletionEvent, HistoricVersion, RelocationEvent } from '../sidecar/tables/history-table.js';
import type { View } from '../view/view.js';
import type { Tables } from '../sidecar/tables.js';

/** The progress of a walk, and the document's location at that time. */
export interface HistoryPosition {
  /** All events from this moment on have been seen. */
  readonly moment: number;
  /** Versions from this sequence on have been seen. */
  readonly sequence: number;
  readonly location: Location;
  /** Whether the last event seen was a version: only then can a deletion lie before it. */
  readonly isVersion: boolean;
}

export interface Step {
  readonly entry: HistoryEntry;
  /** Where to go on after it. */
  readonly position: HistoryPosition;
}

/**
 * Goes back through all events of a document, the newest first, from a position on. These are its versions, its renames
 * and moves, those of folders that carried it, and undone deletions. Each step looks up the next older event by an
 * index, for any length of the history; the first version ends it.
 */
export function* walkHistory(
  view: View,
  document: Document,
  from: HistoryPosition | undefined,
  versionsAtOnce: number,
): Generator<Step> {
  const { tables } = view;
  let position: HistoryPosition = from ?? {
    moment: Number.MAX_SAFE_INTEGER,
    sequence: Number.MAX_SAFE_INTEGER,
    location: document.location,
    isVersion: false,
  };
  const show = (location: Location): Location | null =>
    location === document.location || roleContains(view.roleAt(location), 'reader') ? location : null;
  const carried = new CarriedRelocations(tables);
  let versions: HistoricVersion[] = [];
  for (;;) {
    if (versions.length === 0) {
      versions = tables.history.versionsBefore(document.number, position.sequence, versionsAtOnce);
    }
    const [version] = versions;
    if (version === undefined) return;
    const { moment } = position;
    const deletion = position.isVersion ? tables.history.deletionBefore(document.number, moment) : undefined;
    if (deletion !== undefined && deletion.moment > version.moment) {
      position = { ...position, moment: deletion.moment, location: deletion.location, isVersion: false };
      yield { entry: describeDeletion(deletion, show), position };
      continue;
    }
    const own = tables.history.relocationBefore(document.number, moment);
    const folder = carried.before(position.location, moment);
    const relocation = (own?.moment ?? 0) > (folder?.moment ?? 0) ? own : folder;
    // A mirror can move a document and give it a version in one commit. The version lies at the new place.
    if (relocation !== undefined && relocation.moment >= version.moment) {
      const to = position.location;
      const was = rebase(to, relocation.to, relocation.from);
      position = { ...position, moment: relocation.moment, location: was, isVersion: false };
      const { operation, author, at } = relocation;
      const of = relocation === own ? 'document' : 'folder';
      yield { entry: { type: 'relocation', operation, of, from: show(was), to: show(to), author, at }, position };
      continue;
    }
    versions.shift();
    position = {
      moment: version.moment,
      sequence: version.version.sequence,
      location: version.version.location,
      isVersion: true,
    };
    yield { entry: describeVersion(version, show), position };
  }
}

function describeVersion(
  { version, operation }: HistoricVersion,
  show: (at: Location) => Location | null,
): HistoryEntry {
  const { location, ...rest } = version;
  return { type: 'version', version: rest, operation, location: show(location), author: rest.author, at: rest.at };
}

function describeDeletion(deletion: DeletionEvent, show: (at: Location) => Location | null): HistoryEntry {
  const { author, at, folder, location } = deletion;
  return { type: 'deletion', of: folder === null ? 'document' : 'folder', location: show(location), author, at };
}

/** Finds the last move of a folder to a document's location, or to a folder above it. Remembers its results. */
class CarriedRelocations {
  readonly #tables: Tables;
  #location: Location | undefined;
  #found: RelocationEvent | undefined;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  before(location: Location, moment: number): RelocationEvent | undefined {
    const isRemembered = location === this.#location && (this.#found === undefined || this.#found.moment < moment);
    if (!isRemembered) {
      this.#location = location;
      this.#found = ancestorsOf(location)
        .map((folder) => this.#tables.history.folderRelocationBefore(folder, moment))
        .reduce((newest, each) => ((each?.moment ?? 0) > (newest?.moment ?? 0) ? each : newest), undefined);
    }
    return this.#found;
  }
}
