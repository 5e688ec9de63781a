import type { BriefChange } from '../domain/brief.js';
import type { Author } from '../domain/principal.js';
import { ancestorsOf, isWithin, joinLocation, rebase, type Location } from '../domain/location.js';
import { roleContains } from '../domain/role.js';
import type { ChangeRow, FolderRelocation } from '../sidecar/tables/brief-table.js';
import type { HistoricVersion, RelocationEvent } from '../sidecar/tables/history-table.js';
import { findDocumentById, findFolder, locationOfFolder, type FoundDocument } from '../view/locate.js';
import type { View } from '../view/view.js';
import { Places } from './place-at.js';

/** Events after `since` and not after `until`, in one folder. */
export interface ChangeRange {
  readonly since: number;
  readonly until: number;
  readonly within: Location;
}

/** The progress of a walk: only events before this are left. */
export interface ChangePosition {
  readonly moment: number;
  readonly place: number;
  /** Number of this row's changes already given. */
  readonly given: number;
}

/** A change, and where to go on after it. */
export interface ChangeStep {
  readonly change: BriefChange;
  readonly position: ChangePosition;
}

/** Maximum of writers named for one document, and of versions examined for them. */
const maxAuthors = 10;
const versionsLookedAt = 50;
/** Documents created together in one folder that are reported as one change. */
const minTogether = 5;
/** Before all places of a moment: there documents created together are reported. */
const together = 2 ** 40;

/** Before all rows of the moment after it. */
const untilEndOf = (moment: number): ChangePosition => ({ moment: moment + 1, place: 0, given: 0 });

/** Where a walk begins. */
export function startOf({ until }: ChangeRange): ChangePosition {
  return untilEndOf(until);
}

/** Documents created together at one moment. */
interface Together {
  readonly moment: number;
  /** The numbers of their folders. */
  readonly folders: ReadonlySet<number>;
  readonly changes: readonly BriefChange[];
  /** Whether nothing else happened at that moment. */
  readonly isAll: boolean;
}

/** Where a walk has nothing left to see. */
export function endOf({ since }: Pick<ChangeRange, 'since'>): ChangePosition {
  return { moment: since, place: 0, given: 0 };
}

/**
 * Changes of documents and folders within the view, the last change first; each document once, at its last event.
 * Others are passed over, and no place outside the view is named. Rows are read in order of their moments, so the cost
 * depends on the events since then.
 */
export class ChangeWalk {
  readonly #view: View;
  readonly #range: ChangeRange;
  readonly #paths = new Map<number, Location>();
  readonly #lastMoments = new Map<number, number>();
  readonly #relocations: readonly FolderRelocation[];
  readonly #places: Places;
  /** Moments of deletions, and whether anything that went then was there when the range began. */
  readonly #wereThere = new Map<number, boolean>();

  constructor(view: View, range: ChangeRange) {
    this.#view = view;
    this.#range = range;
    this.#relocations = view.tables.briefs.folderRelocationsAfter(range.since);
    this.#places = new Places(view.tables);
  }

  /**
   * Looks at so many rows, from the position on, until it has found enough.
   * @returns the changes among them, and where to go on; null when there is nothing more
   */
  read(
    from: ChangePosition,
    rows: number,
    enough: number,
  ): { readonly steps: ChangeStep[]; readonly position: ChangePosition | null } {
    const { briefs } = this.#view.tables;
    // A partly given row comes first, again.
    const above = from.given > 0 ? { moment: from.moment, place: from.place + 1 } : from;
    const found = briefs.changesBefore(this.#range.since, above, rows);
    const steps: ChangeStep[] = [];
    let position: ChangePosition = from;
    let passedOver: number | undefined;
    let last: Together | undefined;
    for (const row of found) {
      const { moment, place } = row;
      if (moment === passedOver) continue;
      if (last?.moment !== moment) {
        last = this.#findTogether(moment);
        const isGiven = moment === from.moment && from.place < together;
        const skipped = moment === from.moment ? from.given : 0;
        for (const [index, change] of isGiven ? [] : last.changes.entries()) {
          if (index >= skipped) steps.push({ change, position: { moment, place: together, given: index + 1 } });
        }
        if (last.isAll) {
          passedOver = moment;
          position = { moment, place: 0, given: 0 };
          if (steps.length >= enough) return { steps, position };
          continue;
        }
      }
      const skipped = moment === from.moment && place === from.place ? from.given : 0;
      const isReported = row.folder !== null && last.folders.has(row.folder) && this.#isCreation(row);
      const changes = isReported
        ? []
        : this.#describe(row).filter(({ location }) => isWithin(this.#range.within, location));
      for (const [index, change] of changes.entries()) {
        if (index >= skipped) steps.push({ change, position: { moment, place, given: index + 1 } });
      }
      position = { moment, place, given: 0 };
      const [first] = changes;
      if (row.deletedFolder !== null && first?.of === 'folder') {
        // The folder's change covers everything in it.
        passedOver = moment;
        position = { moment, place: 0, given: 0 };
        const step = steps.pop();
        if (step !== undefined) steps.push({ ...step, position });
      }
      if (steps.length >= enough) return { steps, position };
    }
    if (passedOver !== undefined && found.at(-1)?.moment === passedOver) return { steps, position };
    return { steps, position: found.length < rows ? null : position };
  }

  /** Documents that were created by one commit, and are as it made them: a line for each folder with enough of them. */
  #findTogether(moment: number): Together {
    const view = this.#view;
    const groups = view.tables.briefs.changedFolders(moment);
    const readable = groups
      .filter(({ created }) => created >= minTogether)
      .map((group) => ({ ...group, location: this.#pathOf(group.folder) }))
      .filter(({ location }) => roleContains(view.reach.roleIn(location), 'reader'))
      .toSorted((a, b) => (a.location < b.location ? -1 : 1));
    const changes = readable
      .filter(({ location }) => isWithin(this.#range.within, location))
      .flatMap(({ location, created, document }): BriefChange[] => {
        const [version] = this.#versionsOf(document, 1);
        if (version === undefined) return [];
        const shared = {
          of: 'folder',
          action: 'created',
          versionId: null,
          versions: 0,
          from: null,
          note: null,
        } as const;
        return [{ ...shared, location, documents: created, by: [version.author], at: version.at }];
      });
    const isAll =
      groups.length > 0 &&
      groups.every(({ documents, created, folder }) => {
        return documents === created && readable.some((each) => each.folder === folder);
      });
    return { moment, folders: new Set(readable.map(({ folder }) => folder)), changes, isAll };
  }

  /** Whether the row's event made its document. */
  #isCreation({ type, moment, document }: ChangeRow): boolean {
    if (type !== 'document' || document === null) return false;
    const [newest] = this.#versionsOf(document.number, 1);
    return newest?.version.sequence === 1 && newest.moment === moment;
  }

  #describe(row: ChangeRow): BriefChange[] {
    if (row.type === 'deletion') return this.#describeDeletion(row);
    if (row.document === null) return this.#describeFolder(row.moment);
    const { document, folder } = row;
    if (folder === null) return [];
    const location = joinLocation(this.#pathOf(folder), document.name);
    if (!roleContains(this.#view.reach.roleOn(document.id, location), 'reader')) return [];
    return this.#describeDocument(document.number, location);
  }

  #describeDocument(number: number, location: Location): BriefChange[] {
    const { since } = this.#range;
    const [newest] = this.#versionsOf(number, 1);
    const relocation = this.#relocationOf(number);
    if (newest === undefined) return [];
    const { sequence } = newest.version;
    const before = this.#view.tables.briefs.sequenceAt(number, sequence, since);
    const moved = relocation !== undefined && relocation.moment > since ? relocation : undefined;
    const known = this.#placeAtSince(number);
    const versions = sequence - before;
    // It was moved, and back: nothing has changed for the reader.
    if (known === location && versions === 0) return [];
    const isMoveLast = moved !== undefined && moved.moment > newest.moment && known !== location;
    const change: BriefChange = {
      of: 'document',
      action: before === 0 ? 'created' : isMoveLast ? 'moved' : actionOf(newest),
      location,
      versionId: newest.version.id,
      versions,
      by: this.#authorsOf(number, versions, isMoveLast ? moved.author : undefined),
      at: isMoveLast ? moved.at : newest.at,
      note: isMoveLast ? null : newest.version.message,
      from: this.#showFormer(known, location),
    };
    return [change];
  }

  #describeDeletion({ moment, document, folder, deletedFrom, deletedFolder }: ChangeRow): BriefChange[] {
    const view = this.#view;
    if (document === null || deletedFrom === null) return [];
    const deletion = view.tables.history.deletionBefore(document.number, Number.MAX_SAFE_INTEGER);
    if (deletion === undefined) return [];
    const shared = {
      action: 'deleted',
      versionId: null,
      by: [deletion.author],
      at: deletion.at,
      note: null,
    } as const;
    const isWhole =
      deletedFolder !== null &&
      isWithin(this.#range.within, deletedFolder) &&
      roleContains(view.reach.roleIn(deletedFolder), 'reader');
    if (isWhole && view.tables.trash.folderAt(moment) === deletedFolder) {
      // Made and deleted within the range.
      if (!this.#wasThere(moment, deletedFolder)) return [];
      const from = this.#showFormer(this.#folderAtSince(deletedFolder, moment), deletedFolder);
      return [{ ...shared, of: 'folder', location: deletedFolder, versions: 0, from }];
    }
    if (folder !== null || deletion.moment !== moment) return [];
    if (!roleContains(view.reach.roleOn(document.id, deletedFrom), 'reader')) return [];
    const [last] = this.#versionsOf(document.number, 1);
    const sequence = last?.version.sequence ?? 0;
    const before = view.tables.briefs.sequenceAt(document.number, sequence, this.#range.since);
    // A document created and deleted within the range has not changed.
    if (before === 0) return [];
    const from = this.#showFormer(this.#placeAtSince(document.number), deletedFrom);
    return [{ ...shared, of: 'document', location: deletedFrom, versions: sequence - before, from }];
  }

  /** A moved folder: as one change where the view reads it, else as the changes that the view reaches in it. */
  #describeFolder(moment: number): BriefChange[] {
    const view = this.#view;
    const index = this.#relocations.findIndex((each) => each.moment === moment);
    const relocation = this.#relocations[index];
    if (relocation === undefined) return [];
    let { to } = relocation;
    let isCarried = false;
    let reached = moment;
    for (const later of this.#relocations.slice(index + 1)) {
      if (!isWithin(later.from, to)) continue;
      // Another folder has its place.
      if (this.#isDeletedBetween(to, reached, later.moment)) return [];
      // It moved again itself: the later move gives its present place.
      if (later.from === to) return [];
      to = rebase(to, later.from, later.to);
      reached = later.moment;
      isCarried = true;
    }
    if (this.#isDeletedBetween(to, reached, Number.MAX_SAFE_INTEGER)) return [];
    if (findFolder(view.tables, to) === undefined) return [];
    const describe = (location: Location, document?: FoundDocument['row']): BriefChange[] => {
      const known = document === undefined ? this.#folderAtSince(location) : this.#placeAtSince(document.number);
      // It was moved, and back.
      if (known === location) return [];
      const shared = { action: 'moved', versions: 0, by: [relocation.author], at: relocation.at, note: null } as const;
      const [of, versionId] =
        document === undefined ? (['folder', null] as const) : (['document', document.current.id] as const);
      return [{ ...shared, of, location, versionId, from: this.#showFormer(known, location) }];
    };
    if (roleContains(view.reach.roleIn(to), 'reader')) return describe(to);
    // Its reachable contents were given already, with the later move of the folder that carried it.
    if (isCarried) return [];
    const folders = view.reach
      .foldersBelow(to)
      .filter((location, _, all) => !all.some((other) => other !== location && isWithin(other, location)))
      .filter((location) => findFolder(view.tables, location) !== undefined);
    const documents = view.reach.documentIds
      .map((id) => findDocumentById(view.tables, id))
      .filter((found) => found !== undefined)
      .filter(({ location }) => isWithin(to, location) && view.reach.roleIn(location) === undefined)
      // A document with an event of its own in the range is reported with that event.
      .filter(({ row }) => this.#lastMomentOf(row.number) <= this.#range.since);
    return [
      ...folders.flatMap((location) => describe(location)),
      ...documents.flatMap(({ row, location }) => describe(location, row)),
    ].toSorted((a, b) => (a.location < b.location ? -1 : 1));
  }

  /** The document's last versions, the newest first. */
  #versionsOf(document: number, limit: number): HistoricVersion[] {
    return this.#view.tables.history.versionsBefore(document, Number.MAX_SAFE_INTEGER, limit);
  }

  /** The last rename or move of the document itself. */
  #relocationOf(document: number): RelocationEvent | undefined {
    return this.#view.tables.history.relocationBefore(document, Number.MAX_SAFE_INTEGER);
  }

  /** Moment of the document's own last event; looked up once, as it may have many versions. */
  #lastMomentOf(document: number): number {
    let last = this.#lastMoments.get(document);
    if (last === undefined) {
      last = Math.max(this.#versionsOf(document, 1)[0]?.moment ?? 0, this.#relocationOf(document)?.moment ?? 0);
      this.#lastMoments.set(document, last);
    }
    return last;
  }

  /** The authors of the document's last versions, the latest first, after its mover. */
  #authorsOf(document: number, versions: number, mover: Author | undefined): Author[] {
    const writers = this.#view.tables.briefs.authors(document, Math.min(versions, versionsLookedAt));
    const authors = new Map([...(mover === undefined ? [] : [mover]), ...writers].map((each) => [each.id, each]));
    return [...authors.values()].slice(0, maxAuthors);
  }

  /** The place that the reader knows, if it is another one and the caller reaches it now. */
  #showFormer(known: Location | null, location: Location): Location | null {
    if (known === null || known === location) return null;
    return roleContains(this.#view.reach.roleIn(known), 'reader') ? known : null;
  }

  /** Where the document was when the range began; null when it was nowhere. */
  #placeAtSince(document: number): Location | null {
    const found = this.#places.find(document);
    return found === undefined ? null : this.#places.at(found, this.#range.since).location;
  }

  /** The same for a folder that was there before the moment; null when it was made since. */
  #folderAtSince(folder: Location, before = Number.MAX_SAFE_INTEGER): Location | null {
    let [place, until] = [folder, before];
    for (const { from, to, moment } of this.#relocations.toReversed()) {
      if (moment >= before || !isWithin(to, place)) continue;
      if (this.#isDeletedBetween(place, moment, until)) return null;
      [place, until] = [rebase(place, to, from), moment];
    }
    return this.#isDeletedBetween(place, this.#range.since, until) ? null : place;
  }

  /** Whether the folder went after the one moment and before the other, by itself or with a folder above. */
  #isDeletedBetween(folder: Location, after: number, before: number): boolean {
    return [folder, ...ancestorsOf(folder)].some((place) => {
      const [last] = this.#view.tables.deletions.foldersAt(place, before, 1);
      return last !== undefined && last > after;
    });
  }

  /** Whether any document that went with the folder was there when the range began. */
  #wasThere(moment: number, folder: Location): boolean {
    let wasThere = this.#wereThere.get(moment);
    if (wasThere === undefined) {
      wasThere = this.#view.tables.briefs.deletesOlder(moment, folder, this.#range.since);
      this.#wereThere.set(moment, wasThere);
    }
    return wasThere;
  }

  #pathOf(folder: number): Location {
    let path = this.#paths.get(folder);
    if (path === undefined) this.#paths.set(folder, (path = locationOfFolder(this.#view.tables, folder)));
    return path;
  }
}

function actionOf({ operation }: HistoricVersion): BriefChange['action'] {
  return operation === 'restore' || operation === 'undelete' || operation === 'revert' ? 'restored' : 'changed';
}
