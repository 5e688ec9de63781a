import type { Caller } from '../../domain/caller.js';
import { conflict, invalidRequest } from '../../domain/refusal.js';
import type { Scratch } from '../../sidecar/scratch.js';
import { invalidateIndex } from '../../indexing/invalidate-index.js';
import { replayHistory, type RebuildProblem, type RebuildReport } from '../../integrity/replay-history.js';
import type { Workspace } from '../../workspace/workspace.js';
import { compareMirrors } from '../../view/compare-mirror.js';
import type { Tables } from '../../sidecar/tables.js';
import { adminNeeds } from '../needs.js';
import type { WriteOperation } from '../operation.js';
import { perform } from '../perform.js';

export interface RebuildOptions {
  /** Whether to go on without unknown parts of the history. Otherwise nothing is changed. */
  readonly isPartial?: boolean;
  /** Called with the number of commits read so far. */
  readonly onProgress?: (commits: number) => void | Promise<void>;
}

interface RebuildInput extends RebuildOptions {
  readonly scratch: Scratch;
}

/** The rebuilt rows. Null for a workspace without a commit. */
type Rebuilt = RebuildReport | null;

const maxNamed = 20;

const rebuildRows: WriteOperation<RebuildInput, Rebuilt, Rebuilt> = {
  kind: 'write',
  name: 'workspace.rebuild',
  needs: () => adminNeeds,
  note: ({ isPartial = false }) => ({ detail: { partial: isPartial } }),
  async prepare({ workspace }, { scratch, onProgress, isPartial = false }) {
    // Read first: writes made while this waits may not be in the repository yet.
    const { head } = workspace.journal.state;
    await workspace.checkpointer.run();
    if (head === null) return null;
    const report = await replayHistory(workspace.repository, head, scratch, onProgress);
    if (report.problems.length > 0 && !isPartial) throw notUnderstood(report.problems);
    return report;
  },
  run(context, { scratch }, report) {
    const { transaction } = context;
    if (transaction.tables.erasures.open().some(({ phase }) => phase === 'moved')) {
      throw conflict('erase_under_way', 'An erase is being finished. Rebuild when its receipt is final.');
    }
    if (transaction.state.head !== (report?.head ?? null)) {
      throw conflict('content_changed', 'A write came meanwhile. Stop the service, then rebuild.');
    }
    for (const author of scratch.tables.principals.list()) {
      // A principal known only to the history: it gets a name, and cannot sign in.
      if (transaction.tables.principals.find(author.id) === undefined) {
        transaction.tables.principals.insert(author);
        transaction.tables.principals.setDisabled(author.id, transaction.now);
      }
    }
    const counted = report?.commits ?? 0;
    const commits = Math.max(transaction.state.commits, counted);
    // Erases have removed commits. Counting from the end keeps later numbers from falling below positions already given
    // to callers.
    const storedBytes = transaction.tables.content.replaceBy(scratch, commits - counted);
    transaction.state = { ...transaction.state, commits, storedBytes };
    transaction.tables.erasures.hideAgain();
    // The rows of events were made again, and cursors into the feed of before may miss some.
    transaction.tables.feed.beginAnew(Buffer.from(transaction.randomness.bytes(32)).toString('hex'));
    realignMirrors(transaction.tables, transaction.now);
    invalidateIndex(context.transaction, context.search);
    return report;
  },
  noteResult: (report) =>
    report === null
      ? {}
      : { version: report.head, detail: { commits: report.commits, problems: report.problems.length } },
};

/**
 * Makes the rows of documents, versions, folders, renames and moves again from the repository. They replace the present
 * rows, all at once or not at all. Labels, claims and grants stay with their documents, and the search index is rebuilt
 * from them. The next sync of each mirror reads everything. Admin. It waits for an erase in progress, because a rebuild changes the numbers of the rows that the erase
 * still has to remove.
 * @throws Refusal INVALID_REQUEST `history_not_understood` with the commits, CONFLICT `content_changed`,
 * `erase_under_way`
 */
export function rebuild(workspace: Workspace, caller: Caller, options: RebuildOptions = {}): Promise<Rebuilt> {
  return workspace.eraser.holdOff(() => rebuildNow(workspace, caller, options));
}

async function rebuildNow(workspace: Workspace, caller: Caller, options: RebuildOptions): Promise<Rebuilt> {
  const scratch = workspace.journal.sidecar.openScratch();
  try {
    const { result } = await perform(workspace, caller, rebuildRows, { ...options, scratch });
    workspace.connectors.wake();
    return result;
  } finally {
    scratch.close();
  }
}

/** The rows of connectors name the documents that there are now, and the next run of each reads all its files. */
function realignMirrors(tables: Tables, now: number): void {
  for (const { connector, path, lacks } of compareMirrors(tables)) {
    if (lacks === 'document') tables.mirrorEntries.remove(connector, path);
    else tables.mirrorEntries.put(connector, { path, sourceId: null, version: '', reason: null, detail: null });
  }
  tables.connectors.distrustAll(now);
}

function notUnderstood(problems: readonly RebuildProblem[]): Error {
  const named = problems
    .slice(0, maxNamed)
    .map(({ commit, reason }) => (commit === null ? `In the newest tree, ${reason}` : `Commit ${commit}: ${reason}.`));
  const more = problems.length > maxNamed ? [`And ${problems.length - maxNamed} more.`] : [];
  return invalidRequest(
    'history_not_understood',
    ['The history is not all the work of this service, and nothing was changed.', ...named, ...more].join('\n'),
    { problems: problems.slice(0, maxNamed), count: problems.length },
  );
}
