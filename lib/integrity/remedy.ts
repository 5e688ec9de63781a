import { obstacleOf } from '../disk/obstacle.js';
import { isFull } from '../sidecar/fault.js';

/** The parts of a workspace in which a fault can be. */
export type Part =
  | 'repository'
  | 'index'
  | 'sidecar'
  | 'schema'
  | 'references'
  | 'audit'
  | 'pending'
  | 'history'
  | 'tree'
  | 'rows'
  | 'documents'
  | 'versions'
  | 'mirrors'
  | 'search'
  | 'texts'
  | 'access'
  | 'room';

const fromBackup =
  'What is lost comes back from a backup with `cartulary restore`, or from a clone with `cartulary restore --clone`, ' +
  'into another data folder.';
const byRebuild = '`cartulary rebuild` makes these rows again from the history.';

const remedies: Readonly<Record<Part, string>> = {
  repository: fromBackup,
  index:
    'Nothing is lost with it: stop the service if it runs, and start it. It makes the file anew from the packs. Then ' +
    'verify again.',
  documents: fromBackup,
  versions: fromBackup,
  pending:
    'It is not in the repository yet, and lies nowhere else: keep the text if anybody has it, and bring a backup back ' +
    'with `cartulary restore`.',
  sidecar:
    'Bring a backup back with `cartulary restore`. Without one, `cartulary restore --clone` gives content and history ' +
    'back from content.git, without its people.',
  schema:
    'If no service of this release was ever started here, start one: it brings the sidecar to its schema. Then verify ' +
    'again. Otherwise bring a backup back with `cartulary restore`.',
  references:
    '`cartulary rebuild` takes away what hangs on documents that are not there; for anything else bring a backup back.',
  rows: byRebuild,
  tree: byRebuild,
  history:
    'Start the service: it sets main again where that is safe, and otherwise says what to do. Where commits are ' +
    'damaged, bring a backup or a clone back with `cartulary restore`.',
  audit:
    'Nothing makes a record again. An archive is put back from a backup; for anything else an export, a clone or a ' +
    'backup from before shows since when it is so.',
  mirrors: '`cartulary rebuild` lets the next sync of each mirror read and compare everything again.',
  search: 'Nothing is lost: the service makes its index again by itself when it next starts.',
  texts:
    'Nothing is lost: the text is made again of its file. Stop the service if it runs, delete what is named, and start it.',
  access: 'Run this as the account that owns the data. Nothing is known to be damaged.',
  room: 'Make room where temporary files go, or set TMPDIR to a folder that has room. Nothing is known to be damaged.',
};

/** Parts that stand for no fault of the data: what kept the check from reading it. */
const obstacleParts: ReadonlySet<Part> = new Set(['access', 'room']);

/** Whether a problem says that something could not be checked, and not that it is damaged. */
export function isUnchecked({ part }: { readonly part: Part }): boolean {
  return obstacleParts.has(part);
}

/** The part of a problem: an obstacle where the error is one, otherwise the part that was checked. */
export function partOf<Checked extends string>(error: unknown, checked: Checked): Checked | 'access' | 'room' {
  if (isFull(error)) return 'room';
  return obstacleOf(error) === undefined ? checked : 'access';
}

/** What is read through an index, and looks lost where that is damaged. */
const readByIndexes: ReadonlySet<Part> = new Set(['repository', 'documents', 'versions', 'history', 'tree', 'pending']);
const afterIndexes =
  'An index is damaged, and what is read through it looks lost. Start the service, which makes the index anew, and ' +
  'verify again: only what is missing then has to come from a backup.';

/**
 * The remedy for a broken part: a sentence or two.
 * @param hasDamagedIndex whether an index of the repository is damaged
 */
export function remedyFor(part: Part, hasDamagedIndex = false): string {
  return hasDamagedIndex && readByIndexes.has(part) ? afterIndexes : remedies[part];
}
