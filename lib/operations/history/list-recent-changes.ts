import type { BriefChange } from '../../domain/brief.js';
import { parentOf, rootLocation, type Location } from '../../domain/location.js';
import type { Page } from '../../domain/page.js';
import { invalidRequest } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import { walkActivities, type PlacedActivity } from '../../feed/walk-activities.js';
import { ChangeWalk, endOf, startOf, type ChangePosition, type ChangeRange } from '../../history/walk-changes.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import type { ActivityKind } from '../../sidecar/tables/activity-table.js';
import type { View } from '../../view/view.js';
import type { ReadOperation } from '../operation.js';

/** What happened to a document besides a change of it. */
const activityKinds = ['label_set', 'comment_added', 'comment_settled', 'claimed', 'claim_ended'] as const;

/** What a change did. */
export type RecentAction = BriefChange['action'] | ActivityKind;

const isActivity = (action: RecentAction): action is ActivityKind => activityKinds.some((kind) => kind === action);

export interface ListRecentChangesInput {
  /** Only changes in this folder; the root for everything in reach. */
  readonly location: Location;
  /** Only changes of this kind; null for all. */
  readonly action: RecentAction | null;
  /** Milliseconds since 1970: changes of this time or later. */
  readonly since: number;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** A change, a comment, or what was done to labels or claims, with what its reader may do about it. */
export interface RecentChange extends Omit<BriefChange, 'action'> {
  readonly action: RecentAction;
  /** Whether the caller may undo what was done in the folder of the change. */
  readonly mayRevert: boolean;
}

/** How far a list has come. */
interface Progress {
  readonly range: ChangeRange;
  readonly position: ChangePosition;
  /** Only activities with lower numbers are left. */
  readonly activity: number;
}

/** Rows read before other requests get their turn. */
const rowsAtOnce = 40;

/** Characters of each number of a position, in base 36: its length says nothing. */
const widths = [7, 7, 7, 9, 5, 9] as const;
const length = widths.reduce((sum: number, each) => sum + each, 0);

function encode({ range: { since, until }, position: { moment, place, given }, activity }: Progress): string {
  const numbers = [since, until, moment, place, given, activity];
  return numbers.map((each, index) => each.toString(36).padStart(widths[index] ?? 0, '0')).join('');
}

/** @throws Refusal INVALID_REQUEST `bad_cursor` */
function decode(within: Location, after: string): Progress {
  if (!/^[0-9a-z]+$/.test(after) || after.length !== length) {
    throw invalidRequest('bad_cursor', 'The cursor is not one for this query. Start again without it.', {
      field: 'cursor',
    });
  }
  let end = 0;
  const [since = 0, until = 0, moment = 0, place = 0, given = 0, activity = 0] = widths.map((width) =>
    Number.parseInt(after.slice(end, (end += width)), 36),
  );
  return { range: { since, until, within }, position: { moment, place, given }, activity };
}

function begin({ tables }: View, within: Location, since: number): Progress {
  const { briefs, activities } = tables;
  const range = { since: briefs.lastMomentBefore(since), until: briefs.lastMoment(), within };
  return { range, position: startOf(range), activity: activities.last() + 1 };
}

/** What one step found, the last first, each with how far the list has come behind it. */
interface Step {
  readonly found: {
    readonly change: Omit<RecentChange, 'mayRevert'>;
    readonly end: Pick<Progress, 'position' | 'activity'>;
  }[];
  /** Where the next step begins; null at the end. */
  readonly next: Progress | null;
}

/**
 * One step back through changes and activities, by the order in which they happened.
 * @param action only these; null for all
 */
function stepBack(
  view: View,
  from: Progress,
  { action, since }: Pick<ListRecentChangesInput, 'action' | 'since'>,
  enough: number,
): Step {
  const { range } = from;
  const within = range.within;
  const hasChanges = action === null || !isActivity(action);
  const hasActivities = action === null || isActivity(action);
  const changes = hasChanges
    ? new ChangeWalk(view, range).read(from.position, rowsAtOnce, enough)
    : { steps: [], position: null };
  const activities = hasActivities
    ? walkActivities(view, { within, before: from.activity, since, rows: rowsAtOnce })
    : { rows: [], isAll: true };
  const found: Step['found'] = [];
  let { position, activity } = from;
  let read = 0;
  /** Takes the activities that came after a commit. @returns whether there is none of them left */
  const takeUntil = (moment: number): boolean => {
    for (let row = activities.rows[read]; row !== undefined && row.moment >= moment; row = activities.rows[read]) {
      read += 1;
      activity = row.number;
      if (row.found !== null && (action === null || row.found.kind === action)) {
        found.push({ change: toChange(row.found), end: { position, activity } });
      }
    }
    return read < activities.rows.length || activities.isAll;
  };
  for (const step of changes.steps) {
    if (!takeUntil(step.position.moment)) return { found, next: { range, position, activity } };
    position = step.position;
    if (action === null || step.change.action === action)
      found.push({ change: step.change, end: { position, activity } });
  }
  position = changes.position ?? endOf(range);
  const isOver = takeUntil(changes.position?.moment ?? 0) && changes.position === null;
  return { found, next: isOver ? null : { range, position, activity } };
}

function toChange({ kind, location, versionId, actor, at }: PlacedActivity): Omit<RecentChange, 'mayRevert'> {
  const by = actor === null ? [] : [actor];
  return { of: 'document', action: kind, location, versionId, versions: 0, by, at, note: null, from: null };
}

/**
 * What happened within the caller's reach since a time, the last first: documents and folders that changed, each
 * document once, and comments, labels and claims. It is what a brief lists and more, without counting as one. What
 * happens meanwhile is not on later pages.
 * @throws Refusal INVALID_REQUEST `bad_cursor`
 */
export const listRecentChanges: ReadOperation<ListRecentChangesInput, Page<RecentChange>> = {
  kind: 'read',
  name: 'change.list_recent',
  isHeavy: true,
  needs: () => [],
  note: ({ location }) => (location === rootLocation ? {} : { target: location }),
  async run({ workspace, caller, view: first }, { location, action, since, after, limit }) {
    const start = after === '' ? begin(first, location, since) : decode(location, after);
    // A caller without any grant has no changes to read, regardless of their number.
    if (first.reach.isEmpty) return { items: [], next: null };
    const items: RecentChange[] = [];
    let end = start;
    for (let view = first, from = start; ;) {
      const step = stepBack(view, from, { action, since }, limit - items.length + 1);
      for (const { change, end: behind } of step.found) {
        if (items.length === limit) return { items, next: encode(end) };
        const folder = change.of === 'folder' ? change.location : parentOf(change.location);
        const mayRevert = !isActivity(change.action) && roleContains(view.reach.roleIn(folder), 'editor');
        items.push({ ...change, mayRevert });
        end = { ...start, ...behind };
      }
      if (step.next === null) return { items, next: null };
      from = step.next;
      await yieldToLoop();
      view = workspace.view(caller);
    }
  },
  noteResult: ({ items, next }) => ({ detail: { changes: items.length, more: next !== null } }),
};
