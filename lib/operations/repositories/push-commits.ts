import { followSections } from '../../changes/follow-section.js';
import type { FollowedTexts } from '../../changes/followed-texts.js';
import { mediaTypesOf, type Recorded } from '../../changes/record-event.js';
import { recordTreeChange } from '../../changes/record-tree-change.js';
import { requireTrees, type WriteContext } from '../../changes/write-context.js';
import { pushOperation, recallPushed, type KeptPush } from '../../derived/find-pushed.js';
import { dropHidden } from '../../domain/hidden-characters.js';
import { maxVersionMessage } from '../../domain/history-entry.js';
import { ancestorsOf, segmentsOf, type Location } from '../../domain/location.js';
import { describeOriginalAuthor } from '../../domain/original-author.js';
import {
  maxPushed,
  type PushedChange,
  type PushedCommit,
  type PushedDocument,
  type PushResult,
  type UnfitChange,
} from '../../changes/push.js';
import { invalidRequest, notFound } from '../../domain/refusal.js';
import type { RefusedFile } from '../../domain/refused-file.js';
import { fetchFirst, refusePush } from '../../changes/refuse-push.js';
import { roleContains } from '../../domain/role.js';
import type { Steps } from '../../scheduling/in-steps.js';
import type { Tables } from '../../sidecar/tables.js';
import type { View } from '../../view/view.js';
import type { LongWriteOperation } from '../operation.js';
import { PushPlanner, type PushPlan } from './plan-push.js';
import { isRead, readPushedSections, type PushedSections } from './pushed-sections.js';

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
 * Writes a pushed line: each commit that changes something by one commit of main. All of it is written, or nothing.
 * Where files are unfit, it only looks for all others that are refused.
 * @throws Refusal CONFLICT `push_refused` with every refused file; INVALID_REQUEST `storage_quota`
 */
export function* applyPush(
  context: WriteContext,
  { commits, unfit }: Pick<PushCommitsInput, 'commits' | 'unfit'>,
  followed: FollowedTexts,
): Steps<PushResult> {
  // At once for the whole line: each commit would ask for its own otherwise, and begin again.
  yield* requireTrees(context.transaction, yield* findWritten(context, commits));
  const planner = new PushPlanner(context, followed);
  const made: { oid: string; versionId: string | null }[] = [];
  const documents = new Map<string, PushedDocument>();
  const refused: RefusedFile[] = [];
  const unfitOf = groupByCommit(unfit);
  const unwritten = new UnwrittenPlaces();
  for (const commit of commits) {
    const unfitHere = unfitOf.get(commit.oid) ?? [];
    unwritten.add(unfitHere.flatMap(({ file, from }) => [file.location, from ?? file.location]));
    const plan = yield* planner.plan(
      commit.oid,
      commit.changes.filter((change) => !unwritten.bears(change)),
    );
    refused.push(...unfitHere.map(({ file }) => file), ...plan.refused);
    if (refused.length > 0) {
      unwritten.add(commit.changes.flatMap(placesOf));
      continue;
    }
    const isChange = plan.files.length + plan.moved.length + plan.gone.length > 0;
    const recorded = isChange ? yield* recordPushed(context, commit, plan) : undefined;
    made.push({ oid: commit.oid, versionId: recorded?.versionId ?? null });
    if (recorded !== undefined) noteDocuments(documents, plan, recorded);
  }
  if (refused.length > 0) throw refusePush(refused);
  return { commits: made, documents: [...documents.values()] };
}

/** Paths where the caller may write. The time of a refusal must not tell how many trees lead to other places. */
function* findWritten({ view }: WriteContext, commits: readonly PushedCommit[]): Steps<string[][]> {
  const paths: string[][] = [];
  for (const location of commits.flatMap(({ changes }) => changes.flatMap(placesOf))) {
    if (roleContains(view.roleAt(location), 'editor')) paths.push(segmentsOf(location));
    yield;
  }
  return paths;
}

function groupByCommit(unfit: readonly UnfitChange[]): ReadonlyMap<string, readonly UnfitChange[]> {
  const groups = new Map<string, UnfitChange[]>();
  for (const each of unfit) {
    const { commit } = each.file;
    const group = groups.get(commit);
    if (group === undefined) groups.set(commit, [each]);
    else group.push(each);
  }
  return groups;
}

function* recordPushed(context: WriteContext, commit: PushedCommit, plan: PushPlan): Steps<Recorded> {
  const moved = plan.moved.map(({ documentId, from, to }) => ({ documentId, from, to }));
  const event = { type: 'push', mediaTypes: mediaTypesOf(plan.files), moved } as const;
  const recorded = yield* recordTreeChange(context, event, plan, composeMessage(context, commit));
  for (const { document, readNext, findAgain } of plan.claimed) {
    followSections(context, document, readNext, findAgain);
  }
  return recorded;
}

/**
 * The message of the versions. An author who is not the pusher is named in its last line: the version's own author is
 * the principal that pushed.
 */
function composeMessage(
  { author, workspace }: Pick<WriteContext, 'author' | 'workspace'>,
  { message, author: wrote }: Pick<PushedCommit, 'message' | 'author'>,
): string | null {
  const isOwn = wrote.name === author.displayName || wrote.email === `${author.id}@${workspace}`;
  const line = isOwn ? '' : `Author: ${describeOriginalAuthor(wrote)}`;
  const room = maxVersionMessage - (line === '' ? 0 : line.length + 2);
  const text = cut(dropHidden(message ?? '').trim(), room);
  const parts = [text, line].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join('\n\n');
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most - 1);
  return `${start.isWellFormed() ? start : start.slice(0, -1)}…`;
}

/** Where each document stands after the commit. */
function noteDocuments(documents: Map<string, PushedDocument>, plan: PushPlan, { written }: Recorded): void {
  const places = new Map(plan.moved.map(({ documentId, to }) => [documentId, to]));
  for (const [documentId, { sequence }] of plan.known.live ?? []) {
    documents.set(documentId, { documentId, location: places.get(documentId) ?? null, sequence });
  }
  for (const { documentId, version } of written) {
    documents.set(documentId, { documentId, location: version.location, sequence: version.sequence });
  }
}

const placesOf = (change: PushedChange): Location[] =>
  change.type === 'move' ? [change.from, change.to] : [change.location];

const fold = (location: string): string => location.toLowerCase();

/**
 * Places where commits would have changed something that is not written, since a file is refused. Nothing can be said
 * about later changes there. Later changes elsewhere are looked at, so that a client learns of all refused files at once.
 */
class UnwrittenPlaces {
  readonly #places = new Set<string>();
  readonly #above = new Set<string>();

  /** @param places need not be locations */
  add(places: readonly string[]): void {
    for (const location of places) {
      this.#places.add(fold(location));
      for (const folder of ancestorsOf(location as Location)) this.#above.add(fold(folder));
    }
  }

  /** Whether the change is at, above or below such a place. */
  bears(change: PushedChange): boolean {
    return placesOf(change).some(
      (location) =>
        this.#places.has(fold(location)) ||
        this.#above.has(fold(location)) ||
        ancestorsOf(location).some((folder) => this.#places.has(fold(folder))),
    );
  }
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
  *run(context, input, { followed }) {
    // A pushed tree can name any object of that repository without sending it.
    if (!input.isCurrent(context.transaction.tables)) throw fetchFirst();
    const result = yield* applyPush(context, input, followed);
    // Commits that change nothing are kept, too, so not everybody may push them.
    requireEditor(context);
    context.transaction.tables.objects.unstagePacks(input.stage);
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
