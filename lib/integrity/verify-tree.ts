import { keepName, type Location } from '../domain/location.js';
import { decodeCommit, type Oid } from '../git/objects/objects.js';
import { Tree, type TreeEntry } from '../git/objects/tree.js';
import { PartSize } from '../scheduling/in-steps.js';
import { Rests } from '../scheduling/rests.js';
import { rootFolderNumber } from '../sidecar/tables/folder-table.js';
import type { SidecarSnapshot } from '../sidecar/sidecar.js';
import { readAnyObject, type ObjectSource, type ReadOnlyWorkspace } from './open-data-folder.js';
import { checkpointedHead } from '../journal/recover.js';
import type { Report } from './report.js';

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

/** One walk through all folders. */
interface Walk extends Compared {
  readonly report: Report;
  readonly rests: Rests;
  /** Rows read together. */
  readonly size: PartSize;
}

/**
 * Compares the tree of the head with the rows of folders and documents, folder by folder, in both directions. Others
 * get their turn in between.
 */
export async function verifyTree(workspace: Compared, report: Report): Promise<void> {
  const { reader } = workspace.sidecar;
  const tree = reader.meta.get('tree');
  const walk = { ...workspace, report, rests: new Rests(), size: new PartSize() };
  const visited = await verifyFolder(walk, rootFolderNumber, '' as Location, tree ?? Tree.empty.oid);
  const { documents } = workspace.sidecar.totals();
  if (visited !== documents) {
    report(
      'rows',
      `${documents} documents are live, but only ${visited} of them can be reached from the root and have a version.`,
    );
  }
}

/** @returns the number of documents with rows found in and below the folder */
async function verifyFolder(walk: Walk, number: number, location: Location, oid: Oid): Promise<number> {
  const { report, rests } = walk;
  const entries = new Map<string, TreeEntry>();
  if (oid !== Tree.empty.oid) {
    const { bytes } = await readAnyObject(walk, oid);
    for (const { name, ...entry } of Tree.parse(bytes).entries()) entries.set(name, entry);
  }
  const below = (name: string): Location => (location === '' ? name : `${location}/${name}`) as Location;
  let visited = 0;
  for (const row of documentsIn(walk, number)) {
    if (rests.isDue) await rests.take();
    visited += 1;
    const entry = entries.get(row.name);
    entries.delete(row.name);
    if (entry === undefined || entry.mode === '40000')
      report('tree', 'has a row, but is not in the tree.', below(row.name));
    else if (entry.oid !== row.current.blobOid) {
      report('tree', `is ${entry.oid} in the tree and ${row.current.blobOid} in its row.`, below(row.name));
    }
  }
  for (const row of foldersIn(walk, number)) {
    if (rests.isDue) await rests.take();
    const entry = entries.get(row.name);
    entries.delete(row.name);
    const isInTree = entry?.mode === '40000';
    if (!isInTree) report('tree', 'is a folder with a row, but not in the tree.', below(row.name));
    visited += await verifyFolder(walk, row.number, below(row.name), isInTree ? entry.oid : Tree.empty.oid);
  }
  entries.delete(keepName);
  for (const name of entries.keys()) report('tree', 'is in the tree, but has no row.', below(name));
  return visited;
}

function documentsIn({ sidecar: { reader }, size }: Walk, folder: number) {
  return byPages(size, (after, limit) => reader.documents.inFolder(folder, after, limit));
}

function foldersIn({ sidecar: { reader }, size }: Walk, parent: number) {
  return byPages(size, (after, limit) => reader.folders.children(parent, after, limit));
}

/** Rows in the order of their names, as many at a time as take a few milliseconds. */
function* byPages<Row extends { readonly name: string }>(
  size: PartSize,
  read: (after: string, limit: number) => readonly Row[],
): Generator<Row, undefined> {
  for (let after = ''; ;) {
    const rows = size.run((limit) => read(after, limit));
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.name;
  }
}
