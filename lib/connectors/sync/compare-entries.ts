import type { SkipReason } from '../../domain/connector.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { hasDocument, type MirrorEntry } from '../../sidecar/tables/mirror-entry-table.js';
import type { SourceFile } from '../source.js';
import { asSkip, idOf, isSameRow, type Filtered } from './filter-entries.js';

/** A file to read, and its row as of the last run. */
export interface FileToRead {
  /** Below the mirror's folder. */
  readonly path: string;
  readonly file: SourceFile;
  /** Undefined when the file has none yet. */
  readonly row: MirrorEntry | undefined;
  /** The path of its document, where the file has moved. */
  readonly from?: string;
}

/** A mirrored document that got another path, and its content as it was. */
export interface PathMove {
  readonly from: string;
  readonly to: string;
}

/** The difference between a source and its mirror. */
export interface Comparison {
  /** Documents of the mirror before. */
  readonly before: number;
  /** Files that the source holds and that can be mirrored. */
  readonly live: number;
  readonly toRead: readonly FileToRead[];
  /** Documents whose files are gone. */
  readonly removed: readonly MirrorEntry[];
  /** Found by the source's own ids. */
  readonly moved: readonly PathMove[];
  /** Files that are left out, now. */
  readonly skipped: number;
  /** Files and folders that could not be seen. What was mirrored from there stays. */
  readonly unseen: number;
  /** Rows to write and to remove that no reading decides. */
  readonly put: readonly MirrorEntry[];
  readonly remove: readonly string[];
}

/** Reasons that only the content gives. They last as long as the file's version. */
const decidedByContent: ReadonlySet<SkipReason> = new Set([
  'lfs_pointer',
  'too_large',
  'restricted',
  'not_decodable',
  'not_utf8',
]);

/**
 * Compares what a source holds with the rows of the last run.
 * @param filtered is used up
 * @param unseen files and folders that cannot be seen now, with the reason in words
 * @param pages the rows, in parts
 */
export function* compareEntries(
  { wanted, skipped }: Filtered,
  unseen: ReadonlyMap<string, string>,
  pages: Iterable<readonly MirrorEntry[]>,
): Steps<Comparison> {
  const hidden = asUnreadable(unseen);
  const places = new Set(hidden.keys());
  const isHidden = (path: string): boolean => places.size > 0 && placesOf(path).some((place) => places.has(place));
  const live = wanted.size;
  const toRead: FileToRead[] = [];
  const removed: MirrorEntry[] = [];
  const put: MirrorEntry[] = [];
  const remove: string[] = [];
  let before = 0;
  let skippedByContent = 0;
  for (const rows of pages) {
    for (const row of rows) {
      const file = wanted.get(row.path);
      const skip = skipped.get(row.path);
      // What is listed as well is hidden only by its own path.
      const stays = hidden.has(row.path) || (file === undefined && skip === undefined && isHidden(row.path));
      if (hasDocument(row)) {
        before += 1;
        if (file === undefined && !stays) removed.push(row);
      }
      if (stays) {
        const { detail = null } = hidden.get(row.path) ?? {};
        for (const found of [hidden, wanted, skipped]) found.delete(row.path);
        if (detail !== null && (row.reason !== 'unreadable' || row.detail !== detail)) {
          put.push({ ...row, version: hasDocument(row) ? row.version : '', reason: 'unreadable', detail });
        } else if (isStale(row)) put.push(row);
      } else if (file !== undefined) {
        wanted.delete(row.path);
        if (!isAsBefore(row, file)) toRead.push({ path: row.path, file, row });
        else if (row.reason !== null) skippedByContent += 1;
      } else if (skip === undefined) remove.push(row.path);
      else {
        skipped.delete(row.path);
        put.push(...(isSameRow(row, skip) ? [] : [skip]));
        skippedByContent += 1;
      }
    }
    yield;
  }
  for (const [path, row] of hidden) if (!wanted.has(path)) put.push(row);
  const skips = skipped.size + skippedByContent;
  put.push(...skipped.values());
  for (const [path, file] of wanted) toRead.push({ path, file, row: undefined });
  yield;
  const moved = yield* pairById(toRead, removed, put);
  return { before, live, put, remove, skipped: skips, unseen: unseen.size, ...moved };
}

/** Rows of what cannot be seen, for people to read. */
function asUnreadable(unseen: ReadonlyMap<string, string>): Map<string, MirrorEntry> {
  const rows = [...unseen].map(([path, detail]): MirrorEntry => {
    const entry = { type: 'skipped', path: path.normalize('NFC'), version: '', reason: 'unreadable' } as const;
    return asSkip(entry, 'unreadable', detail);
  });
  return new Map(rows.map((row) => [row.path, row]));
}

/** The path, and every folder above it, up to the root. */
function placesOf(path: string): string[] {
  const places = [path, ''];
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    places.push(path.slice(0, slash));
  }
  return places;
}

/** A version may count the states of one file alone, so another file can have the same. */
function isAsBefore(row: MirrorEntry, file: SourceFile): boolean {
  const isSame = row.version === file.version && row.sourceId === idOf(file) && !isStale(row);
  return isSame && (row.reason === null || decidedByContent.has(row.reason));
}

const staleVersion = 'of other settings';

/** A row of other settings. Its version and id may be words of another source, so they say nothing. */
export function asStale(row: MirrorEntry): MirrorEntry {
  return { ...row, sourceId: null, version: hasDocument(row) ? staleVersion : '' };
}

function isStale({ version }: MirrorEntry): boolean {
  return version === staleVersion;
}

/**
 * Finds the files that the source moved, by its own ids: also those that took each other's places. A place that still
 * has a file keeps its document, whatever id the file has (decision 0310). Where two files have one id, it says nothing.
 * @param put takes the rows of those that need no reading
 */
function* pairById(
  toRead: readonly FileToRead[],
  removed: readonly MirrorEntry[],
  put: MirrorEntry[],
): Steps<Pick<Comparison, 'toRead' | 'removed' | 'moved'>> {
  const replaced = new Map<MirrorEntry, FileToRead>();
  for (const each of toRead) if (isReplaced(each)) replaced.set(each.row, each);
  yield;
  const byId = yield* uniqueById([...removed, ...replaced.keys()], (row) => row.sourceId);
  if (byId.size === 0) return { toRead, removed, moved: [] };
  const arrived = yield* uniqueById(
    toRead.filter((each) => documentRowOf(each) === undefined || isReplaced(each)),
    ({ file }) => file.id ?? null,
  );
  const origins = new Map<FileToRead, MirrorEntry>();
  for (const [index, each] of toRead.entries()) {
    if (index % 500 === 499) yield;
    const { id } = each.file;
    const row = id !== undefined && arrived.get(id) === each ? byId.get(id) : undefined;
    if (row !== undefined) origins.set(each, row);
  }
  yield* leaveDocumentsAtFiles(origins, replaced);
  const moving = new Set(origins.values());
  yield;
  const moved: PathMove[] = [];
  const left: FileToRead[] = [];
  for (const [index, each] of toRead.entries()) {
    if (index % 500 === 499) yield;
    const { path, file } = each;
    const row = origins.get(each);
    if (row === undefined) {
      left.push(each);
      continue;
    }
    moved.push({ from: row.path, to: path });
    if (isAsBefore(row, file)) put.push({ ...row, path });
    else left.push({ path, file, row: { ...row, path }, from: row.path });
  }
  yield;
  return { toRead: left, removed: removed.filter((row) => !moving.has(row)), moved };
}

/** The row of the document at the file's place; undefined for none. */
function documentRowOf({ row }: FileToRead): MirrorEntry | undefined {
  return row !== undefined && hasDocument(row) ? row : undefined;
}

/** Whether the place has a document, and now a file with another id. */
function isReplaced(each: FileToRead): each is FileToRead & { readonly row: MirrorEntry } {
  const row = documentRowOf(each);
  return row !== undefined && row.sourceId !== idOf(each.file);
}

/**
 * Takes the moves away after which a file would stand where its document has left, or a document would have to go for
 * another. What is left are moves to free places, in chains too, and files that changed places among each other.
 * @param origins the rows from which files came, by their ids
 * @param replaced rows whose place has a file with another id
 */
function* leaveDocumentsAtFiles(
  origins: Map<FileToRead, MirrorEntry>,
  replaced: ReadonlyMap<MirrorEntry, FileToRead>,
): Steps<void> {
  const targets = new Map([...origins].map(([each, row]) => [row, each]));
  yield;
  const isKept = (each: FileToRead, row: MirrorEntry): boolean => {
    const successor = replaced.get(row);
    const there = documentRowOf(each);
    return (successor === undefined || origins.has(successor)) && (there === undefined || targets.has(there));
  };
  const asked = [...origins.keys()];
  for (let index = 0; index < asked.length; index += 1) {
    if (index % 500 === 499) yield;
    const each = asked[index];
    const row = each === undefined ? undefined : origins.get(each);
    if (each === undefined || row === undefined || isKept(each, row)) continue;
    origins.delete(each);
    targets.delete(row);
    // The one that came to the place of this one's document, and the one whose document was to leave this place.
    const successor = replaced.get(row);
    const there = documentRowOf(each);
    const follower = there === undefined ? undefined : targets.get(there);
    for (const next of [successor, follower]) if (next !== undefined) asked.push(next);
  }
}

function* uniqueById<Item>(
  items: readonly Item[],
  idOfItem: (item: Item) => string | null,
): Steps<ReadonlyMap<string, Item>> {
  const found = new Map<string, Item>();
  const twice = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (index % 500 === 499) yield;
    const id = idOfItem(item);
    if (id === null) continue;
    if (found.has(id)) twice.add(id);
    else found.set(id, item);
  }
  for (const id of twice) found.delete(id);
  return found;
}
