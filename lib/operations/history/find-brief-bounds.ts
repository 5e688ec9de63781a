import type { BriefBound, BriefMark } from '../../domain/brief.js';
import { rootLocation, type Location } from '../../domain/location.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { View } from '../../view/view.js';
import { startOf, type ChangePosition } from '../../history/walk-changes.js';

export interface ReadBriefInput {
  /**
   * The start: the `position` of an earlier brief, or a time in milliseconds since 1970. Left out: the caller's last
   * brief, or a week ago for the first one. Left out with `after`.
   */
  readonly since?: string | number | undefined;
  /** Only changes in this folder; the root for all. */
  readonly location: Location;
  /** Do not count it as the caller's last brief. */
  readonly keepsMark: boolean;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** The beginning and end of a brief, and the start of a page. */
export interface BriefPage {
  readonly since: BriefBound;
  readonly until: BriefBound;
  readonly position: ChangePosition;
  /** Comments with a lower number are on later pages. */
  readonly addressed: number;
  /** Whether it begins at the start of the last brief. */
  readonly isRepeat: boolean;
}

/** Milliseconds covered by a caller's first brief. */
const firstBrief = 7 * 24 * 60 * 60 * 1000;
/**
 * Milliseconds after a brief in which the next one repeats all of it. A caller without an answer asks again at once.
 * Agents confirm an answer only by going on from its position.
 */
const briefRepeated = 10 * 60 * 1000;

/** Characters of each number, in base 36. Every position of a kind has one length, so its length says nothing. */
const boundWidths = [7, 9, 7] as const;
const pageWidths = [...boundWidths, ...boundWidths, 7, 9, 5, 7] as const;
/** Digits of each number in positions of an earlier release. */
const digits = 16;

const sum = (widths: readonly number[]): number => widths.reduce((total, each) => total + each, 0);

const encode = (numbers: readonly number[], widths: readonly number[]): string =>
  numbers.map((each, index) => each.toString(36).padStart(widths[index] ?? 0, '0')).join('');

/** @throws Refusal INVALID_REQUEST `bad_cursor` */
function decode(text: string, widths: readonly number[], field: string): number[] {
  if (!/^[0-9a-z]+$/.test(text) || text.length !== sum(widths)) {
    throw invalidRequest('bad_cursor', 'The cursor is not one of a brief. Start again without it.', { field });
  }
  return widths.map((width, index) => {
    const start = sum(widths.slice(0, index));
    return Number.parseInt(text.slice(start, start + width), 36);
  });
}

/** Positions of an earlier release are digits: a moment and a time, and later a comment's number. */
function decodeEarlier(text: string): number[] | undefined {
  if (!/^\d+$/.test(text) || ![2, 3].includes(text.length / digits)) return undefined;
  return Array.from({ length: text.length / digits }, (_, index) =>
    Number(text.slice(index * digits, (index + 1) * digits)),
  );
}

/** The start of a later brief; of one length. */
export function encodePosition({ moment, at, addressed }: BriefBound): string {
  return encode([moment, at, addressed], boundWidths);
}

/** The start of the next page; of one length. */
export function encodePage({ since, until, position, addressed }: Omit<BriefPage, 'isRepeat'>): string {
  const bounds = [since, until].flatMap((bound) => [bound.moment, bound.at, bound.addressed]);
  return encode([...bounds, position.moment, position.place, position.given, addressed], pageWidths);
}

function toBound([moment = 0, at = 0, addressed = 0]: readonly number[]): BriefBound {
  return { moment, at, addressed };
}

/** @throws Refusal INVALID_REQUEST `bad_cursor`, `bad_field` */
export function findBriefBounds(
  view: View,
  principalId: string,
  { since, after }: ReadBriefInput,
  mark: BriefMark | undefined,
): BriefPage {
  if (after !== '') {
    const numbers = decode(after, pageWidths, 'cursor');
    const [moment = 0, place = 0, given = 0, addressed = 0] = numbers.slice(6);
    const [from, until] = [toBound(numbers), toBound(numbers.slice(3))];
    return { since: from, until, position: { moment, place, given }, addressed, isRepeat: false };
  }
  const { briefs, comments } = view.tables;
  const atTime = (time: number): BriefBound => ({
    moment: briefs.lastMomentBefore(time),
    at: time,
    addressed: comments.lastAddressedBefore(principalId, time),
  });
  const isRepeat = since === undefined && isAskedAgain(mark, view.now);
  const begin = (): BriefBound => {
    if (typeof since === 'string') {
      // Positions from before comments had numbers of their own are a moment and a time.
      const [moment = 0, at = 0, addressed] = decodeEarlier(since) ?? decode(since, boundWidths, 'since');
      return { moment, at, addressed: addressed ?? comments.lastAddressedBefore(principalId, at) };
    }
    if (since === undefined) {
      return (isRepeat ? mark?.from : mark?.until) ?? atTime(Math.max(0, view.now - firstBrief));
    }
    if (!Number.isSafeInteger(since) || since < 0 || since > view.now) {
      throw invalidRequest('bad_field', 'A brief begins at a time that is over.', { field: 'since' });
    }
    return atTime(since);
  };
  const until = { moment: briefs.lastMoment(), at: view.now, addressed: comments.lastAddressed() };
  const from = begin();
  const position = startOf({ since: from.moment, until: until.moment, within: rootLocation });
  return { since: from, until, position, addressed: until.addressed + 1, isRepeat };
}

function isAskedAgain(mark: BriefMark | undefined, now: number): boolean {
  if (mark === undefined) return false;
  const silence = now - mark.until.at;
  return silence >= 0 && silence < briefRepeated;
}

/**
 * The caller's last brief from now on. Undefined when it stays the same. It stays if this brief skips entries that the
 * last one had not reached. It also stays if this brief repeats the last one, since this answer may be lost, too.
 */
export function markAfter(
  { since, until, isRepeat }: BriefPage,
  { location, keepsMark, after }: ReadBriefInput,
  mark: BriefMark | undefined,
): BriefMark | undefined {
  if (after !== '' || keepsMark || isRepeat || location !== rootLocation) return undefined;
  const leavesOut = mark !== undefined && (since.moment > mark.until.moment || since.addressed > mark.until.addressed);
  return leavesOut ? undefined : { from: since, until };
}
