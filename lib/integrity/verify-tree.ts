import { keepName, type Location } from '../domain/location.js';
import { decodeCommit, type Oid } from '../git/objects/objects.js';
import { Tree, type TreeEntry } from '../git/objects/tree.js';
import { rootFolderNumber } from '../sidecar/tables/folder-table.js';
import type { SidecarSnapshot } from '../sidecar/sidecar.js';
import { readAnyObject, type ObjectSource, type ReadOnlyWorkspace } from './open-read-only.js';
import { checkpointedHead } from '../journal/recover.js';
import type { Report } from './report.js';
import type { Tables } from '../sidecar/tables.js';

const pageSize = 1000;

/**
 * Whether the repository's main belongs to the sidecar's history. It may lag behind the sidecar's head by pending
 * commits only.
 */
export async function verifyHead(workspace: ReadOnlyWorkspace, report: Report): Promise<void> {
  const { repository, repositoryHead } = workspace;
  const { meta, objects, erasures } = workspace.sidecar.reader;
  const head = meta.get('head');
  const noted = meta.get(checkpointedHead);
  const main = repositoryHead ?? 'no commit';
  if (head === undefined) {
    if (repositoryHead !== null)
      report('history', `The repository's main is at ${main}, and the sidecar knows of none.`);
    return;
  }
  const { tree } = decodeCommit((await readAnyObject(workspace, head)).bytes);
  const known = meta.get('tree') ?? 'none';
  if (tree !== known) report('history', `The head ${head} has the tree ${tree}, and the sidecar says ${known}.`);
  let at: Oid | undefined = head;
  let hasSettled = false;
  while (at !== undefined && at !== repositoryHead) {
    hasSettled ||= objects.find(at) === undefined;
    at = decodeCommit((await readAnyObject(workspace, at)).bytes).parents[0];
  }
  // An erase has put another history in force, and the next checkpoint moves main there.
  const isMoving = erasures.open().some(({ phase }) => phase === 'moved') && noted === repositoryHead;
  if (at === undefined && isMoving) return;
  if (at === undefined && repositoryHead !== null) {
    report(
      'history',
      `The repository's main is at ${main}, which is not in the history of the sidecar's head ${head}.`,
    );
  } else if (hasSettled && (await repository.head()) === repositoryHead) {
    // A commit stays pending until main has moved to it or beyond.
    report(
      'history',
      repositoryHead === null
        ? 'The repository has no main, and commits lie there that are not pending any more.'
        : `The repository's main is at ${main}, behind commits that are not pending any more.`,
    );
  }
}

/** The rows and trees to compare. */
interface Compared extends ObjectSource {
  readonly sidecar: Pick<SidecarSnapshot, 'reader' | 'totals'>;
}

/** Compares the tree of the head with the rows of folders and documents, folder by folder, in both directions. */
export async function verifyTree(workspace: Compared, report: Report): Promise<void> {
  const { reader } = workspace.sidecar;
  const tree = reader.meta.get('tree');
  const visited = await verifyFolder(workspace, report, rootFolderNumber, '' as Location, tree ?? Tree.empty.oid);
  const { documents } = workspace.sidecar.totals();
  if (visited !== documents) {
    report(
      'rows',
      `${documents} documents are live, but only ${visited} of them can be reached from the root and have a version.`,
    );
  }
}

/** @returns the number of documents with rows found in and below the folder */
async function verifyFolder(
  workspace: Compared,
  report: Report,
  number: number,
  location: Location,
  oid: Oid,
): Promise<number> {
  const { reader } = workspace.sidecar;
  const entries = new Map<string, TreeEntry>();
  if (oid !== Tree.empty.oid) {
    const { bytes } = await readAnyObject(workspace, oid);
    for (const { name, ...entry } of Tree.parse(bytes).entries()) entries.set(name, entry);
  }
  const below = (name: string): Location => (location === '' ? name : `${location}/${name}`) as Location;
  let visited = 0;
  for (const row of documentsIn(reader, number)) {
    visited += 1;
    const entry = entries.get(row.name);
    entries.delete(row.name);
    if (entry === undefined || entry.mode === '40000')
      report('tree', 'has a row, but is not in the tree.', below(row.name));
    else if (entry.oid !== row.current.blobOid) {
      report('tree', `is ${entry.oid} in the tree and ${row.current.blobOid} in its row.`, below(row.name));
    }
  }
  for (const row of foldersIn(reader, number)) {
    const entry = entries.get(row.name);
    entries.delete(row.name);
    const isInTree = entry?.mode === '40000';
    if (!isInTree) report('tree', 'is a folder with a row, but not in the tree.', below(row.name));
    visited += await verifyFolder(
      workspace,
      report,
      row.number,
      below(row.name),
      isInTree ? entry.oid : Tree.empty.oid,
    );
  }
  entries.delete(keepName);
  for (const name of entries.keys()) report('tree', 'is in the tree, but has no row.', below(name));
  return visited;
}

function* documentsIn(tables: Tables, folder: number) {
  for (let after = ''; ;) {
    const rows = tables.documents.inFolder(folder, after, pageSize);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = last.name;
  }
}

function* foldersIn(tables: Tables, parent: number) {
  for (let after = ''; ;) {
    const rows = tables.folders.children(parent, after, pageSize);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = last.name;
  }
}
