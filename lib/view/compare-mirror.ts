import type { Location } from '../domain/location.js';
import { hasDocument, type MirrorEntry } from '../sidecar/tables/mirror-entry-table.js';
import type { FolderRow } from '../sidecar/tables/folder-table.js';
import type { Tables } from '../sidecar/tables.js';
import { findDocument, locationOfFolder } from './locate.js';

/** A document of a mirror without its row, or the row without its document. */
export interface MirrorDifference {
  readonly connector: string;
  readonly location: Location;
  /** Below the mirror's folder. */
  readonly path: string;
  readonly lacks: 'row' | 'document';
}

const pageSize = 1000;

/** Compares the documents of all mirrors with what their connectors know of. The tables may change between two. */
export function* compareMirrors(tables: Tables): Generator<MirrorDifference> {
  for (const folder of tables.folders.mirrored()) {
    if (folder.mirror === null) continue;
    const root = locationOfFolder(tables, folder.number);
    yield* documentsWithoutRow(tables, folder.mirror, folder, '');
    for (const { path } of entriesOf(tables, folder.mirror)) {
      const location = below(root, path);
      const isThere = findDocument(tables, location) !== undefined;
      if (!isThere) yield { connector: folder.mirror, location, path, lacks: 'document' };
    }
  }
}

const below = (folder: string, path: string): Location => (folder === '' ? path : `${folder}/${path}`) as Location;

function* documentsWithoutRow(
  tables: Tables,
  connector: string,
  folder: FolderRow,
  path: string,
): Generator<MirrorDifference> {
  const inFolder = (after: string) => tables.documents.inFolder(folder.number, after, pageSize);
  for (const { name } of pagesOf(inFolder, (row) => row.name)) {
    const own = below(path, name);
    const row = tables.mirrorEntries.find(connector, own);
    if (row !== undefined && hasDocument(row)) continue;
    const location = below(locationOfFolder(tables, folder.number), name);
    yield { connector, location, path: own, lacks: 'row' };
  }
  const children = (after: string) => tables.folders.children(folder.number, after, pageSize);
  for (const child of pagesOf(children, (row) => row.name)) {
    yield* documentsWithoutRow(tables, connector, child, below(path, child.name));
  }
}

/** The rows that say that they have a document. */
function* entriesOf({ mirrorEntries }: Tables, connector: string): Generator<MirrorEntry> {
  const list = (after: string) => mirrorEntries.list(connector, after, pageSize);
  for (const row of pagesOf(list, ({ path }) => path)) if (hasDocument(row)) yield row;
}

function* pagesOf<Row>(read: (after: string) => Row[], keyOf: (row: Row) => string): Generator<Row> {
  for (let after = ''; ;) {
    const rows = read(after);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = keyOf(last);
  }
}
