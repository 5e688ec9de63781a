import type { Brief, BriefBound, BriefChange, BriefMark, BriefSurroundings, ReachedPlace } from '../../domain/brief.js';
import { claimsKeptFor, type PlacedClaim } from '../../domain/claim.js';
import { compareText } from '../../domain/location.js';
import { messageNotice } from '../../domain/message.js';
import { unauthenticated } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import { toClaim } from '../../view/find-claims.js';
import { findDocumentById } from '../../view/locate.js';
import type { View } from '../../view/view.js';
import { ChangeWalk, endOf, type ChangePosition, type ChangeRange } from '../../history/walk-changes.js';
import { MessagePresenter } from '../messages/describe-message.js';
import { findAddressed } from '../documents/find-addressed.js';
import { encodePage, encodePosition, findBriefBounds, markAfter, type ReadBriefInput } from './find-brief-bounds.js';
import { findOwnClaims } from '../claims/list-claims.js';
import type { PrepareContext, WriteOperation } from '../operation.js';
import { findReadable } from '../documents/read-text.js';

/** A brief with what is remembered of it. */
interface PreparedBrief {
  readonly brief: Brief;
  /** What the caller's last brief is by it; undefined when that stays as it is. */
  readonly mark: BriefMark | undefined;
}

/** Rows that are looked at before others get their turn. */
const rowsAtOnce = 200;
const maxPlaces = 50;
const maxClaims = 50;
const maxMessages = 10;
const maxComments = 20;
/** Versions of a document that are looked at for whether the caller wrote one of them. */
const versionsLookedAt = 100;

/** Places granted to the caller, the highest ones; the first few by location. */
function listReach({ reach, tables }: View): ReachedPlace[] {
  const places: ReachedPlace[] = [];
  for (const folder of reach.folders) {
    const role = reach.roleIn(folder);
    if (role !== undefined && !roleContains(reach.roleAbove(folder), role)) places.push({ location: folder, role });
  }
  for (const id of reach.documentIds) {
    const location = findDocumentById(tables, id)?.location;
    const role = location === undefined ? undefined : reach.roleOn(id, location);
    if (location === undefined || role === undefined || roleContains(reach.roleIn(location), role)) continue;
    places.push({ location, role });
  }
  return places.toSorted((a, b) => compareText(a.location, b.location)).slice(0, maxPlaces);
}

/** Claims of others that are in force on what the caller wrote to lately. */
function findClaimsOfOthers({ view, caller }: PrepareContext): PlacedClaim[] {
  const claims: PlacedClaim[] = [];
  for (const row of view.tables.claims.active(view.now)) {
    if (row.holder.id === caller.principalId) continue;
    const document = findReadable(view, row.document);
    if (document === undefined || !document.claims.some(({ id }) => id === row.id)) continue;
    if (!view.tables.briefs.isWriter(row.document, caller.principalId, versionsLookedAt)) continue;
    claims.push({ ...toClaim(row), location: document.location });
    if (claims.length === maxClaims) break;
  }
  return claims;
}

function describeSurroundings(context: PrepareContext, since: BriefBound): BriefSurroundings {
  const { view, caller } = context;
  // Where the clock was set back, that time is still to come: what was lost since can only be told with what was told.
  const lostSince = since.at <= view.now ? since.at : view.now - claimsKeptFor;
  const presenter = new MessagePresenter(view, caller);
  const unread = view.tables.messages.list(
    caller.principalId,
    { box: 'unread' },
    Number.MAX_SAFE_INTEGER,
    maxMessages + 1,
  );
  return {
    reach: listReach(view),
    ownClaims: findOwnClaims(context, lostSince, maxClaims),
    claimsOfOthers: findClaimsOfOthers(context),
    messages: unread.slice(0, maxMessages).map((message) => presenter.list(message)),
    hasMoreMessages: unread.length > maxMessages,
  };
}

/**
 * Reads a page of changes, a stretch of rows at a time. Each stretch has its own view, so that rights hold as they are
 * when it is read; what changes meanwhile lies beyond the end and is told by the next brief.
 */
async function readChanges(
  { workspace, caller, view: first }: PrepareContext,
  range: ChangeRange,
  from: ChangePosition,
  limit: number,
): Promise<{ readonly changes: BriefChange[]; readonly next: ChangePosition | null }> {
  // A caller without any grant has nothing to be told, however much has happened.
  if (first.reach.isEmpty) return { changes: [], next: null };
  const changes: BriefChange[] = [];
  let page = from;
  for (let view = first, position = from; ;) {
    const walked = new ChangeWalk(view, range).read(position, rowsAtOnce);
    for (const step of walked.steps) {
      if (changes.length === limit) return { changes, next: page };
      changes.push(step.change);
      page = step.position;
    }
    if (walked.position === null) return { changes, next: null };
    position = walked.position;
    await yieldToLoop();
    view = workspace.view(caller);
  }
}

/**
 * What is new for the caller: what became of documents and folders that it can read since its last brief, each once;
 * comments for it; its claims and those that it lost; others' claims on what it wrote to; unread messages. From the
 * record alone. What it cannot read is not there, also where it could before, and where something lay before is told
 * only if that place is in its reach now. The first page of a brief over everything counts as the last brief; one that
 * is asked for soon after it tells all of it again (decision 0080).
 * @throws Refusal INVALID_REQUEST `bad_cursor`, `bad_field`
 */
export const readBrief: WriteOperation<ReadBriefInput, Brief, PreparedBrief> = {
  kind: 'write',
  name: 'brief.read',
  isHeavy: true,
  needs: () => [],
  note: ({ location, after }) => ({ target: location, detail: { first_page: after === '' } }),
  async prepare(context, input) {
    const { view, caller } = context;
    const you = view.tables.principals.find(caller.principalId);
    if (you === undefined) throw unauthenticated();
    const mark = view.tables.briefs.mark(caller.principalId);
    const page = findBriefBounds(view, caller.principalId, input, mark);
    const { since, until } = page;
    const surroundings = input.after === '' ? describeSurroundings(context, since) : null;
    const range = { since: since.moment, until: until.moment, within: input.location };
    const { changes, next } = await readChanges(context, range, page.position, input.limit);
    const between = { after: since.addressed, before: page.addressed };
    const addressed = await findAddressed(context, between, maxComments);
    const isLast = next === null && addressed.next === 0;
    const brief: Brief = {
      you: { id: you.id, kind: you.kind, displayName: you.displayName },
      since: since.at,
      until: until.at,
      isRepeat: page.isRepeat,
      changes,
      comments: addressed.comments,
      hasMoreComments: addressed.next !== 0,
      surroundings,
      notice: messageNotice,
      position: encodePosition(until),
      next: isLast ? null : encodePage({ since, until, position: next ?? endOf(range), addressed: addressed.next }),
    };
    return { brief, mark: markAfter(page, input, mark) };
  },
  run({ transaction, caller }, _, { brief, mark }) {
    const present = transaction.tables.briefs.mark(caller.principalId);
    const isLater =
      mark !== undefined &&
      (present === undefined ||
        (present.until.moment <= mark.until.moment && present.until.addressed <= mark.until.addressed));
    if (isLater) transaction.tables.briefs.setMark(caller.principalId, mark);
    return brief;
  },
  noteResult: ({ changes, since, next }) => ({ detail: { since, changes: changes.length, more: next !== null } }),
};
