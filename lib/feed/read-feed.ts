import type { Change, ChangeKind } from '../domain/change.js';
import type { Location } from '../domain/location.js';
import { isWithin } from '../domain/location.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { View } from '../view/view.js';
import { mayRead } from './feed-event.js';
import { decodeFeedPosition, encodeFeedPosition, readEnd } from './feed-position.js';
import type { FoundChange } from './found-change.js';
import { Places } from '../history/place-at.js';
import { PastReaches } from './reach-at.js';
import { beginListing, FeedWalk } from './walk-feed.js';

/** What a consumer asks for. */
export interface FeedQuery {
  /** A folder or document; the root for everything in reach. */
  readonly location: Location;
  /** Whether the place is the folder that is there now, also where it was before it moved. Left out: the place alone. */
  readonly isCarried?: boolean;
  /** Null for all. */
  readonly kinds: ReadonlySet<ChangeKind> | null;
  /** Where the page before ended; '' for the beginning: then everything in reach is sent as `entered`. */
  readonly after: string;
  readonly limit: number;
}

/** A page of the feed. */
export interface FeedPage {
  readonly items: readonly Change[];
  /** Where the first item is sent from, and nothing before it. Left out where there is none. */
  readonly before?: string;
  /** Where to go on, also when there is nothing more now. A face seals it. */
  readonly next: string;
  /** Whether everything up to now has been sent. */
  readonly isCurrent: boolean;
}

/** Whose feed is read. */
export interface FeedContext {
  /** Id of the caller's principal: its reach at each event is made from its grants of then. */
  readonly principalId: string;
  /** A new view of the caller's: the page is read in steps, and the rights of each step's moment decide. */
  readonly view: () => View;
  /** Asked after each step: where it says no, the page ends there. Left out: always. */
  readonly isWanted?: (() => boolean) | undefined;
}

/** Items whose present state is read in the same turn of the event loop as the last step. */
const shortPage = 20;
/** Steps of a page, some seconds in all. A consumer far behind gets a page that says how far it came. */
const maxSteps = 3000;

/**
 * Reads a page: what changed for the caller, in order. It is full, or up to now, or
 * says how far it came where much lies between. The work follows the events since the
 * position, in steps between which others get their turn, so operations that call it are heavy. The memory follows the
 * page.
 * @throws Refusal INVALID_REQUEST `bad_cursor` for a position of another file, as before a rebuild
 */
export async function readFeed(context: FeedContext, query: FeedQuery): Promise<FeedPage> {
  const reaches = new PastReaches(context.principalId);
  const { location, isCarried, kinds, after, limit } = query;
  const found: FoundChange[] = [];
  const known = new Set<string>();
  let view = context.view();
  let position = after === '' ? beginListing(readEnd(view.tables)) : decodeFeedPosition(view.tables, after);
  for (let steps = 1; ; steps += 1) {
    // One more shows that there is more, whatever else happened.
    const step = new FeedWalk(view, reaches, location, isCarried).read(position, kinds, limit + 1 - found.length);
    // An event can reach a document in two ways.
    for (const each of step.found) {
      if (!known.has(each.id)) found.push(each);
      known.add(each.id);
    }
    position = step.position;
    const isOver = found.length > limit;
    if (isOver || step.isCurrent || steps === maxSteps || context.isWanted?.() === false) {
      const told = found.slice(0, limit);
      const last = isOver ? told.at(-1)?.position : undefined;
      if (told.length > shortPage) {
        await yieldToLoop();
        view = context.view();
      }
      const [first] = told;
      return {
        items: present(view, told, location),
        ...(first === undefined ? {} : { before: encodeFeedPosition(view.tables, first.before) }),
        next: encodeFeedPosition(view.tables, last ?? position),
        isCurrent: !isOver && step.isCurrent,
      };
    }
    await yieldToLoop();
    view = context.view();
  }
}

/** Adds the present state, as far as the caller reads it in this view: earlier steps were before other changes. */
function present({ tables, reach }: View, found: readonly FoundChange[], now: Location): Change[] {
  const places = new Places(tables);
  return found.flatMap(({ id, kind, at, documentId, document, location, from, within, ...did }): Change[] => {
    const { version, actor, message } = did;
    const reads = (documentOf: string, place: Location, folder: Location): boolean =>
      isWithin(folder, place) && mayRead(reach, documentOf, place);
    const shared = { id, kind, at, from, version, actor, message };
    if (kind === 'left' || kind === 'deleted') {
      const isHidden = kind === 'deleted' && (location === null || !reads(documentId, location, within));
      const change = { ...shared, document: { id: documentId, location, etag: null } };
      return [isHidden ? { ...change, kind: 'left', from: null, actor: null, message: null } : change];
    }
    const row = document === null ? undefined : tables.documents.byNumber(document);
    const place = row === undefined ? null : places.present(row);
    if (row === undefined || place === null || !reads(row.id, place, now)) return [];
    const etag = row.current.id;
    const before = from !== null && reads(row.id, from, within) ? from : null;
    const changed = { id: row.id, location: place, etag };
    return [{ ...shared, from: before, at: at === 0 ? row.current.at : at, document: changed }];
  });
}
