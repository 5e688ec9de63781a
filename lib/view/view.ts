import type { Reach } from './reach.js';
import type { Document, Folder, Version } from '../domain/document.js';
import { compareText, joinLocation, parentOf, rootLocation, segmentsOf, type Location } from '../domain/location.js';
import { maxLimit, makePage, type Page } from '../domain/page.js';
import { higherRole, roleContains, type Role } from '../domain/role.js';
import type { SearchReach } from '../search/reachable.js';
import type { DocumentRow } from '../sidecar/tables/document-table.js';
import { GrantedNames } from './granted-names.js';
import type { PageMemory } from './page-memory.js';
import {
  findDocument,
  findDocumentById,
  findDocumentsById,
  findDocumentId,
  findFolder,
  numberOfFolder,
  toDocument,
  toFolder,
  type FoundDocument,
} from './locate.js';
import type { Tables } from '../sidecar/tables.js';

/** Shared by all views of the present state made in one turn of the event loop. */
export interface ViewLife {
  isOver: boolean;
}

/**
 * A workspace narrowed by one caller's reach: the only way to read for a caller. Anything outside the reach does not
 * exist from here on.
 *
 * Everything it shows comes from one committed state. A view of the present state is good until the event loop's next
 * turn, and throws after it. Work that waited asks for a new one, since rights and documents may have changed.
 */
export class View {
  readonly now: number;
  readonly #tables: Tables;
  readonly #reach: Reach;
  readonly #life: ViewLife | undefined;
  readonly #pages: PageMemory | undefined;
  /** The last answers, in a view of the present state: within a transaction, what they say may change. */
  #lastRole: { readonly location: Location; readonly role: Role | undefined } | undefined;
  #lastDocument: { readonly location: Location; readonly document: Document | undefined } | undefined;
  #granted: readonly FoundDocument[] | undefined;
  readonly #grantedNames = new Map<Location, GrantedNames>();

  /**
   * @param now milliseconds since 1970: anything expired by then is not shown
   * @param present for a view of the present state: its end, and pages of the same state as the tables; left out where
   * the tables keep showing one state
   */
  constructor(
    tables: Tables,
    reach: Reach,
    now: number,
    present?: { readonly life: ViewLife; readonly pages: PageMemory | undefined },
  ) {
    this.now = now;
    this.#tables = tables;
    this.#reach = reach;
    this.#life = present?.life;
    this.#pages = present?.pages;
  }

  /** @throws Error after the event loop's turn of a view of the present state */
  get tables(): Tables {
    this.#requireLive();
    return this.#tables;
  }

  /** @throws Error after the event loop's turn of a view of the present state */
  get reach(): Reach {
    this.#requireLive();
    return this.#reach;
  }

  #requireLive(): void {
    if (this.#life?.isOver === true) throw new Error('This view is over: its turn of the event loop has ended.');
  }

  /**
   * The role at a location: by folders at or above it, and on the document that lives there. Takes the same steps with
   * a document there or without.
   */
  roleAt(location: Location): Role | undefined {
    this.#requireLive();
    if (this.#lastRole?.location === location) return this.#lastRole.role;
    const role = this.#findRole(location);
    if (this.#life !== undefined) this.#lastRole = { location, role };
    return role;
  }

  #findRole(location: Location): Role | undefined {
    if (!this.#reach.hasDocuments) return this.#reach.roleIn(location);
    return this.#reach.roleOn(findDocumentId(this.#tables, location) ?? '', location);
  }

  /** The whole reach as a search takes it: folders by path, and where the granted documents lie now. */
  searchReach(): SearchReach {
    const everything = this.reach.holds('reader', rootLocation);
    const documents = everything ? [] : this.grantedDocuments.map(({ location }) => location);
    return { everything, folders: everything ? [] : this.reach.foldersBelow(rootLocation), documents };
  }

  /**
   * The role at a location of something deleted: by folders, on the deleted documents themselves, and on the document
   * that lives there. The last lets a repeated undelete find its document restored.
   */
  roleAtDeleted(location: Location): Role | undefined {
    let role = this.roleAt(location);
    if (!this.reach.hasDocuments) return role;
    for (const id of this.tables.documents.deletedOfThese(this.reach.documentIds, location)) {
      role = higherRole(role, this.reach.roleOn(id, location));
    }
    return role;
  }

  /** The live document there, if the caller may read it. */
  document(location: Location): Document | undefined {
    if (!roleContains(this.roleAt(location), 'reader')) return undefined;
    if (this.#lastDocument?.location === location) return this.#lastDocument.document;
    const found = findDocument(this.#tables, location);
    const document = found === undefined ? undefined : toDocument(this.#tables, found, this.now, this.#reach);
    if (this.#life !== undefined) this.#lastDocument = { location, document };
    return document;
  }

  /** A live document by its id, if the caller may read it where it lives now. */
  documentById(id: string): Document | undefined {
    const found = findDocumentById(this.tables, id);
    if (found === undefined || !roleContains(this.reach.roleOn(id, found.location), 'reader')) return undefined;
    return toDocument(this.tables, found, this.now, this.reach);
  }

  /** The folder there, if the caller reaches it or something in it. */
  folder(location: Location): Folder | undefined {
    if (!this.reach.holds('reader', location) && !this.#reachesInto(location)) return undefined;
    const found = findFolder(this.tables, location);
    return found === undefined ? undefined : toFolder(location, found.mirror, this.tables, this.reach);
  }

  /** An older version of a document from this view, or the current one. */
  version(document: Document, id: string): Version | undefined {
    return this.tables.versions.byId(document.number, id);
  }

  /** The version before one of a document from this view. */
  versionBefore(document: Document, version: Version): Version | undefined {
    return this.tables.versions.bySequence(document.number, version.sequence - 1);
  }

  /** Documents directly in the folder, by name. An absent or unreachable folder has none. */
  documents(folder: Location, after: string, limit: number): Page<Document> {
    if (this.reach.holds('reader', folder)) {
      const read = (): Page<Document> => this.#readDocuments(folder, after, limit);
      return this.#pages === undefined ? read() : this.#pages.recall([folder, after, limit], read);
    }
    const granted = this.#grantedDocumentsIn(folder).filter((row) => compareText(row.name, after) > 0);
    if (granted.length === 0) return { items: [], next: null };
    return this.#toPage(folder, findFolder(this.tables, folder), granted.slice(0, limit + 1), limit);
  }

  #readDocuments(folder: Location, after: string, limit: number): Page<Document> {
    const found = findFolder(this.tables, folder);
    const rows = this.tables.documents.inFolder(numberOfFolder(found), after, limit + 1);
    return this.#toPage(folder, found, rows, limit);
  }

  #toPage(
    folder: Location,
    found: ReturnType<typeof findFolder>,
    rows: readonly DocumentRow[],
    limit: number,
  ): Page<Document> {
    const mirror = found?.mirror ?? null;
    const documents = rows.map((row) =>
      toDocument(this.tables, { row, location: joinLocation(folder, row.name), mirror }, this.now),
    );
    return makePage(documents, limit, (document) => document.name);
  }

  /** Subfolders that the caller reaches, or reaches something in. By name. */
  folders(folder: Location, after: string, limit: number): Page<Folder> {
    const isReader = this.reach.holds('reader', folder);
    const names = isReader ? [] : this.#namesOnTheWay(folder).filter((name) => compareText(name, after) > 0);
    if (!isReader && names.length === 0) return { items: [], next: null };
    const found = findFolder(this.tables, folder);
    const number = numberOfFolder(found);
    const children = isReader
      ? this.tables.folders.children(number, after, limit + 1)
      : names
          .slice(0, limit + 1)
          .map((name) => this.tables.folders.child(number, name))
          .filter((child) => child !== undefined);
    const folders = children.map((child) =>
      toFolder(joinLocation(folder, child.name), child.mirror ?? found?.mirror ?? null, this.tables),
    );
    return makePage(folders, limit, (item) => item.name);
  }

  /**
   * Every document in the folder and below, within the caller's reach: a folder's own first, then its folders in order.
   */
  *walk(folder: Location): Generator<Document> {
    for (const document of readPages((after) => this.documents(folder, after, maxLimit))) yield document;
    for (const child of readPages((after) => this.folders(folder, after, maxLimit))) yield* this.walk(child.location);
  }

  /**
   * The live documents with a grant of the caller's own. Sought from the grants, and once. Other contents of the listed
   * folders cost nothing, so the time of a listing does not reveal their number.
   */
  get grantedDocuments(): readonly FoundDocument[] {
    this.#granted ??= findDocumentsById(this.tables, this.reach.documentIds);
    return this.#granted;
  }

  /** The names in a folder that lead to the caller's own grants. Made once: thousands of files of a push ask for them. */
  grantedNames(folder: Location): GrantedNames {
    let names = this.#grantedNames.get(folder);
    if (names === undefined) {
      names = new GrantedNames(folder, this.grantedDocuments, this.reach.foldersBelow(folder));
      this.#grantedNames.set(folder, names);
    }
    return names;
  }

  /** Those directly in the folder, by name. */
  #grantedDocumentsIn(folder: Location): DocumentRow[] {
    return this.grantedDocuments
      .filter(({ location }) => parentOf(location) === folder)
      .map(({ row }) => row)
      .toSorted((a, b) => compareText(a.name, b.name));
  }

  /** Whether a grant in force lies below: on an existing folder, or on a live document. */
  #reachesInto(folder: Location): boolean {
    return this.#namesOnTheWay(folder).length > 0 || this.#grantedDocumentsIn(folder).length > 0;
  }

  /**
   * Names of the folders directly in `folder` that lead to the caller's grants, in order. Sought from the grants, so
   * its cost does not depend on other contents.
   */
  #namesOnTheWay(folder: Location): string[] {
    const depth = segmentsOf(folder).length;
    const names = new Set<string>();
    for (const granted of this.reach.foldersBelow(folder)) {
      const name = segmentsOf(granted)[depth];
      if (name !== undefined && !names.has(name) && findFolder(this.tables, granted) !== undefined) names.add(name);
    }
    const prefix = folder === '' ? '' : `${folder}/`;
    for (const { location } of this.grantedDocuments) {
      const parent = parentOf(location);
      const name = parent.startsWith(prefix) ? segmentsOf(parent)[depth] : undefined;
      if (name !== undefined) names.add(name);
    }
    return [...names].toSorted(compareText);
  }
}

function* readPages<Item>(read: (after: string) => Page<Item>): Generator<Item> {
  for (let after: string | null = ''; after !== null;) {
    const page: Page<Item> = read(after);
    yield* page.items;
    after = page.next;
  }
}
