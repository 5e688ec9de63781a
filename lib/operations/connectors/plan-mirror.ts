import { readPolicy } from '../../access/read-policy.js';
import type { SkipReason } from '../../domain/connector.js';
import {
  ancestorsOf,
  faultOfLocation,
  faultOfNewLocation,
  isWithin,
  joinLocation,
  nameOf,
  parentOf,
  rootLocation,
  segmentsOf,
  type Location,
} from '../../domain/location.js';
import { faultOfPortableName } from '../../domain/portable-name.js';
import type { MovedDocument } from '../../history/event.js';
import type { EventFile, LiveRow } from '../../history/projection.js';
import type { Steps } from '../../scheduling/in-steps.js';
import type { DocumentRow } from '../../sidecar/tables/document-table.js';
import type { Tables } from '../../sidecar/tables.js';
import { rootFolderNumber } from '../../sidecar/tables/folder-table.js';
import { nowhere } from '../../view/locate.js';
import type { SuppressedContent } from '../../changes/mirror-suppression.js';
import { ArrivingNames } from '../../changes/portable-names.js';
import type { DecidedFile } from '../../changes/record-event.js';
import type { TreeChangePlan } from '../../changes/record-tree-change.js';

/** What has changed in a source, as changes of documents below the mirror's folder. */
export interface MirrorChange {
  /** New or changed files. A ContentStage of the connector holds their contents, and has shown them. */
  readonly written: readonly EventFile[];
  /** Files that the source keeps under another name. One that changed too is also among the written. */
  readonly moved: readonly { readonly from: Location; readonly to: Location }[];
  readonly deleted: readonly Location[];
}

/** A file that is left out of the mirror. */
export interface LeftOut {
  readonly location: Location;
  readonly reason: SkipReason;
  /** In words. */
  readonly detail: string;
}

/** What becomes of the documents, after all checks. */
export interface MirrorPlan extends TreeChangePlan {
  readonly created: number;
  readonly updated: readonly DocumentRow[];
  readonly leftOut: readonly LeftOut[];
}

const erasedHere = 'It was erased here.';

/** Decides about each file of a mirror. Nothing is changed. */
export class MirrorPlanner {
  readonly #tables: Tables;
  readonly #root: Location;
  readonly #isSuppressed: (location: Location) => boolean;
  readonly #isErased: (content: SuppressedContent) => boolean;
  readonly #folders = new Map<Location, number>();
  /** Documents that leave their places, by these. */
  readonly #gone = new Map<Location, DocumentRow>();
  readonly #moving = new Map<Location, DocumentRow>();
  /** Accepted moves, by the new place. */
  readonly #moved = new Map<Location, MovedDocument & { readonly row: DocumentRow }>();
  /** Places taken by this change, and the folders above them. */
  readonly #taken = new Set<Location>();
  readonly #takenFolders = new Set<Location>();
  readonly #granted: ReadonlySet<Location>;
  readonly #isPortable: boolean;
  readonly #leftOut = new Map<Location, LeftOut>();
  readonly #arriving = new ArrivingNames();
  /** Where the moves looked at so far began. */
  readonly #followed = new Set<Location>();

  /** @param root the folder of the mirror */
  constructor(
    tables: Tables,
    root: Location,
    isSuppressed: (location: Location) => boolean,
    isErased: (content: SuppressedContent) => boolean,
  ) {
    this.#tables = tables;
    this.#root = root;
    this.#isSuppressed = isSuppressed;
    this.#isErased = isErased;
    this.#isPortable = readPolicy(tables).portableNames;
    this.#granted = new Set(
      tables.grants
        .atOrBelow(root)
        .flatMap(({ scope }) => (scope.type === 'folder' ? [...ancestorsOf(scope.location), scope.location] : [])),
    );
  }

  /** @throws Error when something lies outside of the mirror */
  *plan({ written, moved, deleted }: MirrorChange): Steps<MirrorPlan> {
    yield* this.#noteLeaving(written, moved, deleted);
    for (const { from, to } of moved) {
      this.#decideMove(from, to);
      yield;
    }
    const files: DecidedFile[] = [];
    const updated: DocumentRow[] = [];
    for (const file of written) {
      yield;
      const row = this.#moved.get(file.location)?.row ?? this.#standing(file.location);
      if (row === undefined) {
        if (!this.#accept(file.location, file.content)) continue;
      } else {
        if (row.current.sha256 === file.content.sha256) continue;
        if (this.#isErased(file.content)) {
          this.#leaveOut(file.location, 'unreadable', 'It got a content that was erased here.');
          continue;
        }
        updated.push(row);
      }
      files.push({ ...file, prepared: { ...file.content, deflated: null } });
    }
    for (const { from, to } of moved) {
      const isThere = from === to || this.#moved.has(to) || this.#taken.has(to) || this.#standing(to) !== undefined;
      if (!isThere) this.#leaveOut(to, 'unreadable', 'It moved in the source, and the mirror does not have it.');
    }
    yield;
    const known = { live: this.#knownRows() };
    yield;
    return {
      moved: [...this.#moved.values()],
      files,
      gone: [...this.#gone.keys()],
      created: files.length - updated.length,
      updated,
      leftOut: [...this.#leftOut.values()],
      known,
    };
  }

  *#noteLeaving(
    written: MirrorChange['written'],
    moved: MirrorChange['moved'],
    deleted: MirrorChange['deleted'],
  ): Steps<void> {
    const arriving = new Set(moved.map(({ to }) => to));
    const rewritten = new Set(written.map(({ location }) => location).filter((location) => !arriving.has(location)));
    for (const location of deleted) {
      const row = rewritten.has(location) ? undefined : this.#find(location);
      if (row !== undefined) this.#gone.set(location, row);
      yield;
    }
    for (const { from, to } of moved) {
      const row = from === to ? undefined : this.#find(from);
      if (row !== undefined) {
        this.#moving.set(from, row);
        this.#gone.delete(from);
      }
      yield;
    }
  }

  /**
   * A document that cannot come to its new place is deleted: the source has it in the old place no more. A document that
   * was erased does not come back in the new place either.
   */
  #decideMove(from: Location, to: Location): void {
    if (from === to || this.#followed.has(from)) return;
    this.#followed.add(from);
    const row = this.#moving.get(from);
    if (row === undefined) {
      if (this.#isSuppressed(from)) this.#leaveOut(to, 'suppressed', erasedHere);
      return;
    }
    const replaced = this.#standing(to);
    if (!this.#accept(to)) {
      this.#gone.set(from, row);
      return;
    }
    if (replaced !== undefined) this.#gone.set(to, replaced);
    this.#moved.set(to, { documentId: row.id, from, to, row });
  }

  /** Takes the place for a new document, with its content, or for a moved one. @returns false when it is left out */
  #accept(location: Location, content?: SuppressedContent): boolean {
    if (this.#leftOut.has(location)) return false;
    const fault = faultOfLocation(location) ?? faultOfNewLocation(location) ?? this.#faultOfPortable(location);
    if (fault !== undefined) return this.#leaveOut(location, 'bad_name', `The name ${fault}.`);
    const isErased = this.#isSuppressed(location) || (content !== undefined && this.#isErased(content));
    if (isErased) return this.#leaveOut(location, 'suppressed', erasedHere);
    if (this.#granted.has(location)) return this.#leaveOut(location, 'name_taken', 'A folder with grants is there.');
    const above = ancestorsOf(location).filter((folder) => folder !== this.#root && isWithin(this.#root, folder));
    const isBelowDocument = above.some((folder) => this.#taken.has(folder) || this.#standing(folder) !== undefined);
    if (isBelowDocument) return this.#leaveOut(location, 'name_taken', 'A document is in the place of its folder.');
    if (this.#taken.has(location)) return this.#leaveOut(location, 'name_taken', 'Another file has the same place.');
    if (this.#takenFolders.has(location) || this.#holdsSome(location)) {
      return this.#leaveOut(location, 'name_taken', 'A folder is in its place.');
    }
    if (this.#isPortable && this.#hasTwin(location, above)) {
      return this.#leaveOut(
        location,
        'name_twin',
        'Windows and macOS take its name for that of another file or folder.',
      );
    }
    this.#arriving.add(location);
    this.#taken.add(location);
    for (const folder of above) this.#takenFolders.add(folder);
    return true;
  }

  /** The policy may have become stricter since the files were listed. */
  #faultOfPortable(location: Location): string | undefined {
    if (!this.#isPortable) return undefined;
    const below = segmentsOf(location).slice(segmentsOf(this.#root).length);
    return below.map(faultOfPortableName).find((fault) => fault !== undefined);
  }

  /** @param above the folders above it in the mirror, from the top */
  #hasTwin(location: Location, above: readonly Location[]): boolean {
    if (this.#arriving.twinOf(location) !== undefined) return true;
    const { documents, folders } = this.#tables;
    const most = this.#gone.size + this.#moving.size + 2;
    for (const place of [...above, location]) {
      if (place !== location && this.#folder(place) !== nowhere) continue;
      const folder = this.#folder(parentOf(place));
      const at = (name: string): Location => joinLocation(parentOf(place), name);
      const name = nameOf(place);
      if (documents.twinsOf(folder, name, most).some((twin) => this.#standing(at(twin)) !== undefined)) return true;
      return folders.twinsOf(folder, name, most).some((twin) => this.#holdsSome(at(twin)));
    }
    return false;
  }

  #leaveOut(location: Location, reason: SkipReason, detail: string): false {
    if (!this.#leftOut.has(location)) this.#leftOut.set(location, { location, reason, detail });
    return false;
  }

  /** Whether documents stay in a folder of this name. */
  #holdsSome(location: Location): boolean {
    const folder = this.#folder(location);
    if (folder === nowhere) return false;
    const leaving = this.#gone.size + this.#moving.size;
    const held = this.#tables.deletions.documentsBelow(folder, location, leaving + 1);
    return held.some((each) => !this.#gone.has(each.location) && !this.#moving.has(each.location));
  }

  /** The document there, unless it leaves. */
  #standing(location: Location): DocumentRow | undefined {
    return this.#gone.has(location) || this.#moving.has(location) ? undefined : this.#find(location);
  }

  #find(location: Location): DocumentRow | undefined {
    if (location === this.#root || !isWithin(this.#root, location)) {
      throw new Error('A mirror was asked to change something outside of its folder.');
    }
    return this.#tables.documents.at(this.#folder(parentOf(location)), nameOf(location));
  }

  /** Looked up once, from the folder above: thousands of files lie in one folder. */
  #folder(location: Location): number {
    if (location === rootLocation) return rootFolderNumber;
    let number = this.#folders.get(location);
    if (number === undefined) {
      const above = this.#folder(parentOf(location));
      const found = above === nowhere ? undefined : this.#tables.folders.child(above, nameOf(location));
      number = found?.number ?? nowhere;
      this.#folders.set(location, number);
    }
    return number;
  }

  #knownRows(): Map<string, LiveRow> {
    const leaving = [...this.#gone, ...this.#moving];
    return new Map(
      leaving.map(([location, row]) => [row.id, { number: row.number, sequence: row.current.sequence, location }]),
    );
  }
}
