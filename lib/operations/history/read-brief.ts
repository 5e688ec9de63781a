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

/** A brief with the mark to store. */
interface PreparedBrief {
  readonly brief: Brief;
  /** The caller's new last brief. Undefined when it stays the same. */
  readonly mark: BriefMark | undefined;
}

/** Maximum of rows read before other requests get their turn. */
const rowsAtOnce = 40;
const maxPlaces = 50;
const maxClaims = 50;
const maxMessages = 10;
const maxComments = 20;
/** Maximum of a document's versions searched for one by the caller. */
const versionsLookedAt = 100;

/** The highest places granted to the caller, the first few by location. */
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

/** Other principals' claims in force on documents that the caller wrote lately. */
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
  // If the clock was set back, that time is in the future. Then the brief names all lost claims that are still kept.
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
 * Reads a page of changes, a batch of rows at a time. Each batch has its own view, so that present rights count.
 * Changes made meanwhile lie beyond the end and go into the next brief.
 */
async function readChanges(
  { workspace, caller, view: first }: PrepareContext,
  range: ChangeRange,
  from: ChangePosition,
  limit: number,
): Promise<{ readonly changes: BriefChange[]; readonly next: ChangePosition | null }> {
  // A caller without any grant has no changes to read, regardless of their number.
  if (first.reach.isEmpty) return { changes: [], next: null };
  const changes: BriefChange[] = [];
  let page = from;
  for (let view = first, position = from; ;) {
    const walked = new ChangeWalk(view, range).read(position, rowsAtOnce, limit - changes.length + 1);
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
 * The news for the caller, from the record alone:
 * - documents and folders readable to it and changed since its last brief, each once
 * - comments for it
 * - its claims, and those that it lost
 * - other principals' claims on documents written by it
 * - unread messages
 *
 * Anything that the caller cannot read now is left out, even if it could before. A former place is named only if it is
 * in the caller's reach now. The first page of a brief over everything counts as the last brief. A brief soon after it
 * repeats all of it (decision 0080).
 * @throws Refusal INVALID_REQUEST `bad_cursor`, `bad_field`
 */
export const readBrief: WriteOperation<ReadBriefInput, Brief, PreparedBrief> = {
  kind: 'write',
  name: 'brief.read',
  worksWhenLow: true,
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
