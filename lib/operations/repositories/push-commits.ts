import { applyPush } from '../../changes/apply-push.js';
import { isRead, readPushedSections, type PushedSections } from '../../changes/pushed-sections.js';
import { pushOperation, recallPushed, type KeptPush } from '../../derived/find-pushed.js';
import { maxPushed, type PushedCommit, type PushResult, type UnfitChange } from '../../domain/push.js';
import { invalidRequest, notFound } from '../../domain/refusal.js';
import { fetchFirst, refusePush } from '../../domain/refuse-push.js';
import type { Tables } from '../../sidecar/tables.js';
import type { View } from '../../view/view.js';
import { guessMediaType } from '../documents/content.js';
import type { LongWriteOperation } from '../operation.js';

export interface PushCommitsInput {
  /** The commit that main had in the repository that was served; null for an empty one. */
  readonly before: string | null;
  /** The commit that main is to have: the last of the line. */
  readonly after: string;
  /** The line, the oldest first, without what is unfit. Empty where only the unfit files are known. */
  readonly commits: readonly PushedCommit[];
  /** If there are any, nothing is written, and they are refused with all other files that are refused. */
  readonly unfit: readonly UnfitChange[];
  /** The id of the ContentStage's owner, of type `push`. The stage holds the contents and has shown them. */
  readonly stage: string;
  /** Whether nothing of the repository that the push builds on was taken away from the caller. */
  isCurrent(this: void, tables: Tables): boolean;
}

/**
 * Writes what was pushed: each commit that changes something becomes one commit of main, all in one transaction or
 * none. Each file needs what the same write needs through REST. To be called by `perform` with a Retry whose key is
 * `after`, and whose fingerprint is of `before` and `after`: the same push sent again gets the same answer.
 * @throws Refusal CONFLICT `push_refused` with the refused files, or `push_outdated`; INVALID_REQUEST
 * `storage_quota`
 */
export const pushCommits: LongWriteOperation<PushCommitsInput, PushResult, PushedSections> = {
  kind: 'write',
  name: pushOperation,
  isLong: true,
  // Each file has needs of its own, which are looked at in the transaction.
  needs: () => [],
  note: ({ before, after, commits, unfit }) => ({
    detail: { before, after, commits: commits.length, changes: countChanges(commits) + unfit.length },
  }),
  async prepare(context, { commits, unfit }) {
    if (commits.length === 0 && unfit.length > 0) throw refusePush(unfit.map(({ file }) => file));
    if (Math.max(commits.length, countChanges(commits)) > maxPushed) throw new Error('A push is too long.');
    const { workspace, caller } = context;
    return readPushedSections(workspace, caller, () => workspace.view(caller), commits);
  },
  isOvertaken: ({ transaction: { tables, now } }, _, sections) => !isRead(tables, now, sections),
  *run(context, { commits, unfit, stage, isCurrent }, { followed }) {
    // A pushed tree can name any object of that repository without sending it.
    if (!isCurrent(context.transaction.tables)) throw fetchFirst();
    const result = yield* applyPush(context, commits, unfit, {
      guessMediaType,
      followed,
    });
    // Commits that change nothing are kept, too, so not everybody may push them.
    requireEditor(context);
    context.transaction.tables.objects.unstagePacks(stage);
    return result;
  },
  extentOf: ({ transaction: { tables } }, _, { documents }) => ({
    touched: documents.flatMap(({ documentId }) => tables.auditQueries.numberOf(documentId) ?? []),
  }),
  noteResult({ commits, documents }) {
    const made = commits.flatMap(({ versionId }) => versionId ?? []);
    const version = made.at(-1);
    const deleted = documents.filter(({ location }) => location === null).length;
    const head = commits.at(-1)?.oid;
    return {
      ...(version === undefined ? {} : { version }),
      detail: { head, commits: commits.length, versions: made.length, documents: documents.length, deleted },
    };
  },
  // Names of documents are not kept twice: what is erased has to go.
  stored: {
    keep: ({ commits, documents }): KeptPush => ({
      commits,
      documents: documents.map(({ documentId, sequence }) => ({ documentId, sequence })),
    }),
    recall({ transaction: { tables } }, kept) {
      const { commits } = kept as KeptPush;
      const documents = recallPushed(tables, kept as KeptPush);
      if (documents === null) throw notFound();
      return {
        commits,
        documents: documents.map(({ documentId, location, sequence }) => ({ documentId, location, sequence })),
      };
    },
  },
};

/**
 * Requires that the caller may change something somewhere. Asked before a pack is taken in, too: unpacking it is work.
 * @throws Refusal INVALID_REQUEST
 */
export function requireEditor({ reach }: Pick<View, 'reach'>): void {
  if (!reach.holdsSomewhere('editor')) throw invalidRequest('bad_field', mayChangeNothing);
}

const mayChangeNothing = 'You may read here, and change nothing. Ask an approver for the role of an editor.';

const countChanges = (commits: readonly PushedCommit[]): number =>
  commits.reduce((count, { changes }) => count + changes.length, 0);
