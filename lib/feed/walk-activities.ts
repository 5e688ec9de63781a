import { isWithin, type Location } from '../domain/location.js';
import type { DocumentActivity } from '../sidecar/tables/activity-table.js';
import type { View } from '../view/view.js';
import { mayRead } from './feed-event.js';
import { Places } from '../history/place-at.js';

/** What happened to a document besides commits, as its reader sees it now. */
export interface PlacedActivity extends DocumentActivity {
  /** Where the document is now. */
  readonly location: Location;
  readonly versionId: string;
}

/** Some activities, the last one first. */
export interface ActivityStretch {
  /** Null for those that are not for the caller, or too old. */
  readonly rows: readonly { readonly number: number; readonly moment: number; readonly found: PlacedActivity | null }[];
  /** Whether there is nothing before them. */
  readonly isAll: boolean;
}

/**
 * Looks back over what happened to documents besides commits: comments, labels and claims. Deleted documents are left
 * out, as all that the view does not read. The cost follows the rows.
 * @param before only activities with lower numbers
 * @param since milliseconds since 1970: nothing older is looked at
 */
export function walkActivities(
  { tables, reach }: View,
  { within, before, since, rows }: { within: Location; before: number; since: number; rows: number },
): ActivityStretch {
  const places = new Places(tables);
  const read = tables.activities.before(before, rows);
  const young = read.filter(({ at }) => at >= since);
  const place = (activity: (typeof young)[number]): PlacedActivity | null => {
    if (!('document' in activity)) return null;
    // An erase that is under way takes its document out of sight first.
    const document = places.find(activity.document) && tables.documents.byNumber(activity.document);
    const location = document === undefined ? null : places.present(document);
    if (document === undefined || location === null) return null;
    const isRead = isWithin(within, location) && mayRead(reach, document.id, location);
    return isRead ? { ...activity, location, versionId: document.current.id } : null;
  };
  return {
    rows: young.map((activity) => ({ number: activity.number, moment: activity.moment, found: place(activity) })),
    isAll: read.length < rows || young.length < read.length,
  };
}
