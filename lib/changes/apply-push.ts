import { dropHidden } from '../domain/hidden-characters.js';
import { maxVersionMessage } from '../domain/history.js';
import { ancestorsOf, segmentsOf, type Location } from '../domain/location.js';
import { describeOriginalAuthor } from '../domain/original-author.js';
import type { PushedChange, PushedCommit, PushedDocument, PushResult, UnfitChange } from '../domain/push.js';
import type { RefusedFile } from '../domain/refused-file.js';
import { refusePush } from '../domain/refuse-push.js';
import { roleContains } from '../domain/role.js';
import type { Steps } from '../scheduling/in-steps.js';
import { followSections } from './follow-section.js';
import { mediaTypesOf } from './media-types.js';
import { PushPlanner, type PushPlan, type PushRules } from './plan-push.js';
import type { Recorded } from './record-event.js';
import { recordTreeChange } from './record-tree-change.js';
import { requireTrees, type WriteContext } from './write-context.js';

/**
 * Writes a pushed line: each commit that changes something by one commit of main. All of it is written, or nothing.
 * Where files are unfit, it only looks for all others that are refused.
 * @throws Refusal CONFLICT `push_refused` with every refused file; INVALID_REQUEST `storage_quota`
 */
export function* applyPush(
  context: WriteContext,
  commits: readonly PushedCommit[],
  unfit: readonly UnfitChange[],
  rules: PushRules,
): Steps<PushResult> {
  // At once for the whole line: each commit would ask for its own otherwise, and begin again.
  yield* requireTrees(context.transaction, yield* findWritten(context, commits));
  const planner = new PushPlanner(context, rules);
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
export function composeMessage(
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
