import type { Location } from '../domain/location.js';
import type { Tables } from '../sidecar/tables.js';
import { decodeFeedPosition, encodeFeedPosition } from './feed-position.js';
import { Places } from '../history/place-at.js';

/** What something touched, for those who ask whether it concerns them. It checks no rights. */
export interface Touched {
  /** Id of the document; null for a folder with everything in it. */
  readonly documentId: string | null;
  /** Where it is now, or where a move put the folder; null when it is nowhere. */
  readonly location: Location | null;
  /** Where it was before. */
  readonly from: readonly Location[];
}

/** What was touched since a position. */
export interface TouchedSince {
  readonly touched: readonly Touched[];
  /** Whether grants or memberships have changed: then the reach of anyone may have. */
  readonly isAccessTouched: boolean;
  /** Where to go on. It is for this function alone. */
  readonly position: string;
  /** Whether that is everything up to now; else there is more. */
  readonly isAll: boolean;
}

/** Unlike the parts of events: between the documents of a commit. */
const amid = 7;

/**
 * What was touched since a position, some hundred documents at most: cheap, and before anybody's rights. A listener
 * whose reach holds none of the places, before or after, has nothing to read.
 * @param position of `endOfFeed`, or of this function
 * @throws Refusal INVALID_REQUEST `bad_cursor` for a position of another file
 */
export function touchedSince(tables: Tables, position: string, most = 500): TouchedSince {
  const since = decodeFeedPosition(tables, position);
  const places = new Places(tables);
  const { within, moment, activity } = since;
  const isAmid = within?.part === amid;
  const start = isAmid
    ? { moment: within.seen, document: within.document }
    : { moment, document: Number.MAX_SAFE_INTEGER };
  const rows = tables.feed.touchedAfter(start, most);
  const activities = tables.activities.after(activity, most);
  // Those of folders are few, and told with the first rows of theirs or earlier.
  const folders = isAmid ? [] : tables.briefs.folderRelocationsAfter(moment);
  const gone = isAmid ? [] : tables.feed.erasedAfter(moment);
  const touched = [
    ...rows.map(({ id, from, ...row }) => describe(id, places.present(row), from)),
    ...folders.map(({ from, to }) => describe(null, to, from)),
    ...gone.flatMap(({ scopes }) => scopes.map((scope) => describe(null, scope, null))),
    ...activities.flatMap((each) => {
      const row = 'document' in each ? places.find(each.document) : undefined;
      return row === undefined ? [] : [describe(row.id, places.present(row), null)];
    }),
  ];
  const isAll = rows.length < most && activities.length < most;
  const last = rows.length < most ? undefined : rows.at(-1);
  const next = {
    moment: last === undefined ? tables.feed.lastMoment() : Math.max(moment, last.moment - 1),
    activity: activities.at(-1)?.number ?? activity,
    within: last === undefined ? null : { part: amid, document: last.document, seen: last.moment },
  };
  return {
    touched,
    isAccessTouched: activities.some((each) => 'subject' in each),
    position: encodeFeedPosition(tables, next),
    isAll,
  };
}

function describe(documentId: string | null, location: Location | null, from: Location | null): Touched {
  return { documentId, location, from: from === null ? [] : [from] };
}
