/** The parts of a workspace in which a fault can be. */
export type Part =
  | 'repository'
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
  | 'search';

const fromBackup =
  'What is lost comes back from a backup with `cartulary restore`, or from a clone with `cartulary restore --clone`, ' +
  'into another data folder.';
const byRebuild = '`cartulary rebuild` makes these rows again from the history.';

const remedies: Readonly<Record<Part, string>> = {
  repository: fromBackup,
  documents: fromBackup,
  versions: fromBackup,
  pending:
    'It is not in the repository yet, and lies nowhere else: keep the text if anybody has it, and bring a backup back ' +
    'with `cartulary restore`.',
  sidecar:
    'Bring a backup back with `cartulary restore`. Without one, `cartulary restore --clone` gives content and history ' +
    'back from content.git, with nobody in it.',
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
  search: 'Nothing is lost: the service makes its index again by itself when it next starts.',
};

/** The remedy for a broken part: a sentence or two. */
export function remedyFor(part: Part): string {
  return remedies[part];
}
