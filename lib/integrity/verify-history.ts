import type { Oid } from '../git/objects/objects.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { ContentDifference } from '../sidecar/compare-content.js';
import type { ReadOnlyWorkspace } from './open-data-folder.js';
import { readWithPending } from './read-with-pending.js';
import type { ContentFinder } from './content-finder.js';
import { replayHistory } from './replay-history.js';
import type { Report, OnProgress } from './report.js';

/** Maximum of characters shown of a value. */
const shownLength = 120;

/**
 * Reads the whole history, with the content of every version ever kept, and compares its commits with the rows. It
 * names each difference from the rows that `rebuild` would make. Memory stays flat. Documents being erased are left
 * out.
 * @param faults the reasons why content could not be read, by oid, from the finder
 * @throws ObjectNotFound, RepositoryUnreadable when a commit or a tree cannot be read: nothing is compared then
 */
export async function verifyHistory(
  workspace: ReadOnlyWorkspace,
  finder: ContentFinder,
  faults: ReadonlyMap<Oid, string>,
  report: Report,
  onProgress: OnProgress,
): Promise<void> {
  const { sidecar } = workspace;
  const head = sidecar.reader.meta.get('head');
  const erasures = sidecar.reader.erasures.open();
  const scratch = sidecar.openScratch();
  try {
    if (head !== undefined) {
      const source = readWithPending(workspace);
      const { problems } = await replayHistory(
        source,
        head,
        scratch,
        (commits) => onProgress('commits', commits),
        finder,
      );
      for (const { commit, reason } of problems) {
        report('history', commit === null ? `In the newest tree, ${reason}` : `Commit ${commit}: ${reason}.`);
      }
    }
    const options = {
      leftOut: new Set(erasures.flatMap(({ documentId }) => documentId ?? [])),
      namesCommits: erasures.every(({ phase }) => phase !== 'moved'),
    };
    let rows = 0;
    for (const batch of sidecar.compareContent(scratch, options)) {
      for (const difference of batch.differences) reportDifference(difference, faults, report);
      rows += batch.rows;
      onProgress('rows', rows);
      await yieldToLoop();
    }
  } finally {
    scratch.close();
  }
}

function reportDifference(difference: ContentDifference, faults: ReadonlyMap<Oid, string>, report: Report): void {
  const { of, id, location, column, inRows, inHistory } = difference;
  const name = of === 'version' || of === 'document' ? `${of} ${id}` : of;
  const add = (part: 'rows' | 'versions', message: string): void =>
    location === '' ? report(part, `The ${message}`) : report(part, message, location);
  if (column === null) {
    const where = inRows === undefined ? 'in the history, but has no row' : 'among the rows, but not in the history';
    add('rows', `${name} is ${where}.`);
  } else if (column === 'content') {
    add(
      'versions',
      `${name} cannot be read: ${faults.get(String(inRows)) ?? `its content ${String(inRows)} is damaged`}`,
    );
  } else if (column === 'sha256') {
    add('versions', `${name} has the SHA-256 ${String(inHistory)}, and its row says ${String(inRows)}.`);
  } else if (column === 'size') {
    add('versions', `${name} has ${String(inHistory)} bytes, and its row says ${String(inRows)}.`);
  } else {
    add('rows', `${name} has the ${column} ${show(inRows)} in its row, and ${show(inHistory)} in the history.`);
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'none';
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}
