import { setImmediate as pause } from 'node:timers/promises';
import type { Brief, BriefChange, BriefSurroundings, Moment, ReachedPlace } from '../domain/brief.js';
import type { PlacedClaim } from '../domain/claim.js';
import type { AddressedComment } from '../domain/comment.js';
import { compareText, rootLocation, type Location } from '../domain/location.js';
import { messageNotice } from '../domain/message.js';
import { invalidRequest, unauthenticated } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import { toClaim } from '../workspace/find-claims.js';
import { findDocumentById } from '../workspace/locate.js';
import type { View } from '../workspace/view.js';
import { ChangeWalk, startOf, type ChangePosition, type ChangeRange } from '../workspace/walk-changes.js';
import { toComment } from './add-comment.js';
import { MessagePresenter } from './describe-message.js';
import { findOwnClaims } from './list-claims.js';
import type { PrepareContext, WriteOperation } from './operation.js';
import { findReadable } from './read-text.js';

export interface ReadBriefInput {
  /**
   * From where: the `position` of an earlier brief, or a time in milliseconds since 1970. Left out: from the caller's
   * last brief, or for the first one from a week ago. Left out with `after`.
   */
  readonly since?: string | number | undefined;
  /** Only changes in this folder; the root for all. */
  readonly location: Location;
  /** Do not count it as the caller's last brief. */
  readonly keepsMark: boolean;
  /** The position that the page before ended at; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** A brief with what is remembered of it. */
interface PreparedBrief {
  readonly brief: Brief;
  /** Up to where the caller is briefed by it; undefined when that stays as it is. */
  readonly mark: Moment | undefined;
}

/** Milliseconds that somebody's first brief goes back. */
const firstBrief = 7 * 24 * 60 * 60 * 1000;
/** Rows that are looked at before others get their turn. */
const rowsAtOnce = 1000;
const mostPlaces = 50;
const mostClaims = 50;
const mostMessages = 10;
const mostComments = 20;
/** Versions of a document that are looked at for whether the caller wrote one of them. */
const versionsLookedAt = 100;

const digits = 16;
const encode = (...numbers: number[]): string => numbers.map((each) => String(each).padStart(digits, '0')).join('');

/** @throws Refusal INVALID_REQUEST `bad_cursor` */
function decode(text: string, count: number, field: string): number[] {
  if (!/^\d+$/.test(text) || text.length !== count * digits) {
    throw invalidRequest('bad_cursor', 'This is no position of a brief. Start again without it.', { field });
  }
  return Array.from({ length: count }, (_, index) => Number(text.slice(index * digits, (index + 1) * digits)));
}

/** Where a brief begins and ends, and where a page of it goes on. */
interface Bounds {
  readonly since: Moment;
  readonly until: Moment;
  readonly position: ChangePosition;
}

function toMoment(moment = 0, at = 0): Moment {
  return { moment, at };
}

/** @throws Refusal INVALID_REQUEST `bad_cursor`, `bad_field` */
function findBounds(view: View, { since, after }: ReadBriefInput, mark: Moment | undefined): Bounds {
  if (after !== '') {
    const [fromMoment, fromAt, toNumber, toAt, moment = 0, place = 0, given = 0] = decode(after, 7, 'cursor');
    return {
      since: toMoment(fromMoment, fromAt),
      until: toMoment(toNumber, toAt),
      position: { moment, place, given },
    };
  }
  const { briefs } = view.tables;
  const atTime = (time: number): Moment => ({ moment: briefs.lastMomentBefore(time), at: time });
  const begin = (): Moment => {
    if (typeof since === 'string') return toMoment(...decode(since, 2, 'since'));
    if (since === undefined) return mark ?? atTime(Math.max(0, view.now - firstBrief));
    if (!Number.isSafeInteger(since) || since < 0 || since > view.now) {
      throw invalidRequest('bad_field', 'A brief begins at a time that is over.', { field: 'since' });
    }
    return atTime(since);
  };
  const until: Moment = { moment: briefs.lastMoment(), at: view.now };
  const from = begin();
  const range = { since: from.moment, until: until.moment, within: rootLocation };
  return { since: from, until, position: startOf(range) };
}

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
  return places.toSorted((a, b) => compareText(a.location, b.location)).slice(0, mostPlaces);
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
    if (claims.length === mostClaims) break;
  }
  return claims;
}

/** Comments since then that are addressed to the caller, on what it can read now. */
function findComments({ view, caller }: PrepareContext, since: number): AddressedComment[] {
  const found: AddressedComment[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; found.length < mostComments;) {
    const batch = view.tables.comments.addressedTo(caller.principalId, before, mostComments);
    for (const { comment, why, document } of batch) {
      before = comment.number;
      if (comment.createdAt < since) return found.slice(0, mostComments);
      const location = comment.author.id === caller.principalId ? undefined : findReadable(view, document)?.location;
      if (location !== undefined) found.push({ comment: toComment(comment), location, why });
    }
    if (batch.length < mostComments) break;
  }
  return found.slice(0, mostComments);
}

function describeSurroundings(context: PrepareContext, since: Moment): BriefSurroundings {
  const { view, caller } = context;
  const presenter = new MessagePresenter(view, caller);
  const unread = view.tables.messages.list(
    caller.principalId,
    { box: 'unread' },
    Number.MAX_SAFE_INTEGER,
    mostMessages + 1,
  );
  return {
    reach: listReach(view),
    ownClaims: findOwnClaims(context, since.at, mostClaims),
    claimsOfOthers: findClaimsOfOthers(context),
    messages: unread.slice(0, mostMessages).map((message) => presenter.list(message)),
    hasMoreMessages: unread.length > mostMessages,
    comments: findComments(context, since.at),
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
    await pause();
    view = workspace.view(caller);
  }
}

/**
 * What is new for the caller: what became of documents and folders that it can read since its last brief, each once;
 * its claims and those that it lost; others' claims on what it wrote to; unread messages; comments for it. From the
 * record alone. What it cannot read is not there, also where it could before, and where something lay before is told
 * only if that place is in its reach now. The first page of a brief over everything counts as the last brief.
 * @throws Refusal INVALID_REQUEST `bad_cursor`, `bad_field`
 */
export const readBrief: WriteOperation<ReadBriefInput, Brief, PreparedBrief> = {
  kind: 'write',
  name: 'brief.read',
  needs: () => [],
  note: ({ location, after }) => ({ target: location, detail: { first_page: after === '' } }),
  async prepare(context, input) {
    const { view, caller } = context;
    const you = view.tables.principals.find(caller.principalId);
    if (you === undefined) throw unauthenticated();
    const mark = view.tables.briefs.mark(caller.principalId);
    const { since, until, position } = findBounds(view, input, mark);
    const isFirst = input.after === '';
    const surroundings = isFirst ? describeSurroundings(context, since) : null;
    const range = { since: since.moment, until: until.moment, within: input.location };
    const { changes, next } = await readChanges(context, range, position, input.limit);
    const brief: Brief = {
      you: { id: you.id, kind: you.kind, displayName: you.displayName },
      since: since.at,
      until: until.at,
      changes,
      surroundings,
      notice: messageNotice,
      position: encode(until.moment, until.at),
      next:
        next === null
          ? null
          : encode(since.moment, since.at, until.moment, until.at, next.moment, next.place, next.given),
    };
    // One that leaves out what the last brief had not come to does not count.
    const isWhole = input.location === rootLocation && (mark === undefined || since.moment <= mark.moment);
    return { brief, mark: isFirst && isWhole && !input.keepsMark ? until : undefined };
  },
  run({ turn, caller }, _, { brief, mark }) {
    const present = turn.tables.briefs.mark(caller.principalId);
    if (mark !== undefined && (present === undefined || present.moment <= mark.moment)) {
      turn.tables.briefs.setMark(caller.principalId, mark);
    }
    return brief;
  },
  noteResult: ({ changes, since, next }) => ({ detail: { since, changes: changes.length, more: next !== null } }),
};
