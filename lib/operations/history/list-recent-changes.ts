import type { BriefChange } from '../../domain/brief.js';
import { parentOf, rootLocation, type Location } from '../../domain/location.js';
import type { Page } from '../../domain/page.js';
import { invalidRequest } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import { ChangeWalk, startOf, type ChangePosition, type ChangeRange } from '../../history/walk-changes.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import type { View } from '../../view/view.js';
import type { ReadOperation } from '../operation.js';

export interface ListRecentChangesInput {
  /** Only changes in this folder; the root for everything in reach. */
  readonly location: Location;
  /** Only changes of this kind; null for all. */
  readonly action: BriefChange['action'] | null;
  /** Milliseconds since 1970: changes of this time or later. */
  readonly since: number;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** A change, with what its reader may do about it. */
export interface RecentChange extends BriefChange {
  /** Whether the caller may undo what was done in the folder of the change. */
  readonly mayRevert: boolean;
}

/** Rows read before other requests get their turn. */
const rowsAtOnce = 40;

/** Characters of each number of a position, in base 36: its length says nothing. */
const widths = [7, 7, 7, 9, 5] as const;
const length = widths.reduce((sum: number, each) => sum + each, 0);

function encode({ since, until }: ChangeRange, { moment, place, given }: ChangePosition): string {
  const numbers = [since, until, moment, place, given];
  return numbers.map((each, index) => each.toString(36).padStart(widths[index] ?? 0, '0')).join('');
}

/** @throws Refusal INVALID_REQUEST `bad_cursor` */
function decode(within: Location, after: string): { readonly range: ChangeRange; readonly position: ChangePosition } {
  if (!/^[0-9a-z]+$/.test(after) || after.length !== length) {
    throw invalidRequest('bad_cursor', 'The cursor is not one for this query. Start again without it.', {
      field: 'cursor',
    });
  }
  let end = 0;
  const [since = 0, until = 0, moment = 0, place = 0, given = 0] = widths.map((width) =>
    Number.parseInt(after.slice(end, (end += width)), 36),
  );
  return { range: { since, until, within }, position: { moment, place, given } };
}

function begin({ tables }: View, within: Location, since: number): ReturnType<typeof decode> {
  const { briefs } = tables;
  const range = { since: briefs.lastMomentBefore(since), until: briefs.lastMoment(), within };
  return { range, position: startOf(range) };
}

/**
 * Documents and folders that changed since a time, within the caller's reach, the last change first; each document once.
 * It is what a brief lists, without counting as one. What happens meanwhile is not on later pages.
 * @throws Refusal INVALID_REQUEST `bad_cursor`
 */
export const listRecentChanges: ReadOperation<ListRecentChangesInput, Page<RecentChange>> = {
  kind: 'read',
  name: 'change.list_recent',
  isHeavy: true,
  needs: () => [],
  note: ({ location }) => (location === rootLocation ? {} : { target: location }),
  async run({ workspace, caller, view: first }, { location, action, since, after, limit }) {
    const { range, position: start } = after === '' ? begin(first, location, since) : decode(location, after);
    // A caller without any grant has no changes to read, regardless of their number.
    if (first.reach.isEmpty) return { items: [], next: null };
    const items: RecentChange[] = [];
    let end = start;
    for (let view = first, position = start; ;) {
      const walked = new ChangeWalk(view, range).read(position, rowsAtOnce, limit - items.length + 1);
      for (const step of walked.steps) {
        if (action !== null && step.change.action !== action) continue;
        if (items.length === limit) return { items, next: encode(range, end) };
        const folder = step.change.of === 'folder' ? step.change.location : parentOf(step.change.location);
        items.push({ ...step.change, mayRevert: roleContains(view.reach.roleIn(folder), 'editor') });
        end = step.position;
      }
      if (walked.position === null) return { items, next: null };
      position = walked.position;
      await yieldToLoop();
      view = workspace.view(caller);
    }
  },
  noteResult: ({ items, next }) => ({ detail: { changes: items.length, more: next !== null } }),
};
