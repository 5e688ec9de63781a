import { principalSourceOf } from '../../limits/work-limits.js';
import type { ChangeKind } from '../../domain/change.js';
import type { Location } from '../../domain/location.js';
import { ReachWatch } from '../../workspace/watch-reach.js';
import { endOfFeed } from '../../feed/feed-position.js';
import { readFeed, type FeedPage } from '../../feed/read-feed.js';
import type { ReadContext, ReadOperation } from '../operation.js';
import { FeedListening, requirePlace } from './feed-listening.js';
import { FeedStream, usualBeat, type StreamItem } from './feed-stream.js';

export interface ReadFeedInput {
  /** A folder or document; the root for everything in reach. */
  readonly location: Location;
  /** Null for all. */
  readonly kinds: ReadonlySet<ChangeKind> | null;
  /** Where the page before ended; '' for the beginning, null for now. */
  readonly after: string | null;
  /** The most items of a page. A stream has a hundred of them, or more. */
  readonly limit: number;
  /** Milliseconds for which a page without items waits for the first. */
  readonly wait: number;
  /** `stream`: one page after another, as changes come. */
  readonly form: 'page' | 'stream';
  /** Gives back the request's place among those under way; aborted when the caller's client has left. */
  readonly standAside: () => AbortSignal;
  /** Aborted when the caller's client has left, while the request keeps its place. Left out: nobody can leave. */
  readonly departure?: (() => AbortSignal) | undefined;
  /** Milliseconds between two signs of life of a stream. Left out: the usual ones. */
  readonly beat?: number | undefined;
}

export interface FeedRead {
  /** Of a stream: where it begins, without items. */
  readonly page: FeedPage;
  /** Whether it begins with everything in reach, and not at a position. */
  readonly isFirst: boolean;
  /** Null for a page. A caller that does not open it has to leave it. */
  readonly stream: { readonly open: () => AsyncGenerator<StreamItem>; readonly leave: () => void } | null;
}

/**
 * What changed for the caller: a page, a page that waits for its first item, or a stream of pages. It needs no role,
 * because it tells only what the caller reaches. A place that the caller does not find is refused.
 *
 * A page has one record, made when it is complete, with the number of its items. A long poll is one page, however
 * often it looked. A stream has one record at its beginning and one at its end, with the number of its items; both have
 * the id of the request. `first_page` says that everything in reach was sent.
 * @throws Refusal INVALID_REQUEST `bad_cursor`; RATE_LIMITED, UNAVAILABLE where too many listen
 */
export const readChanges: ReadOperation<ReadFeedInput, FeedRead> = {
  kind: 'read',
  name: 'feed.read',
  needs: () => [],
  note: ({ location, form }) => ({ target: location, detail: { form } }),
  noteResult: ({ page, isFirst, stream }) => {
    const items = stream === null ? { items: page.items.length } : {};
    const form = stream === null ? 'page' : 'stream';
    return { detail: isFirst ? { form, first_page: true, ...items } : { form, ...items } };
  },
  async run(context, input) {
    const { view } = context;
    requirePlace(view, input.location);
    const after = input.after ?? endOfFeed(view);
    const isFirst = after === '';
    if (input.form === 'stream') return { ...openStream(context, input, after), isFirst };
    const client = input.departure?.();
    const stamp = context.workspace.journal.contentStamp;
    const page = await readPage(context, input, after, () => client?.aborted !== true);
    const isAnswer = page.items.length > 0 || input.wait === 0 || client?.aborted === true;
    return { page: isAnswer ? page : await waitForItems(context, input, { page, stamp }), isFirst, stream: null };
  },
  discard: ({ stream }) => stream?.leave(),
};

/** Few pages of a caller are read at a time, so that many listeners of one take no time from others. */
async function readPage(
  { workspace, caller }: ReadContext,
  { location, kinds, limit }: ReadFeedInput,
  after: string,
  isWanted: () => boolean,
): Promise<FeedPage> {
  const watch = new ReachWatch(workspace, caller);
  const release = await workspace.workLimits.feeds.take(principalSourceOf(workspace.name, caller));
  try {
    const asking = { principalId: caller.principalId, view: () => workspace.view(caller), isWanted };
    const page = await readFeed(asking, { location, kinds, after, limit });
    // It may have waited for its turn, and a key is over at once.
    watch.requireInForce();
    return page;
  } finally {
    release();
  }
}

/**
 * As `readPage`, for listeners: those of one principal often want the same page. Where the one who reads it leaves, the
 * page ends there, and the others go on from its end.
 */
function sharePage(
  context: ReadContext,
  input: ReadFeedInput,
  after: string,
  isWanted: () => boolean,
): Promise<FeedPage> {
  const { workspace, caller } = context;
  const { location, kinds, limit } = input;
  const name = JSON.stringify([caller.principalId, location, kinds === null ? null : [...kinds], limit, after]);
  return workspace.feedTail.share(name, () => readPage(context, input, after, isWanted));
}

/** Items of a page of a stream at least: each page is a walk of its own and a sealed cursor. */
const leastStreamed = 100;

function openStream(context: ReadContext, input: ReadFeedInput, after: string): Omit<FeedRead, 'isFirst'> {
  const { location, standAside, beat = usualBeat } = input;
  const whole = { ...input, limit: Math.max(input.limit, leastStreamed) };
  const read = (position: string, isWanted: () => boolean): Promise<FeedPage> =>
    sharePage(context, whole, position, isWanted);
  const stream = new FeedStream(context, { location, after, beat, standAside, read });
  return {
    page: { items: [], next: after, isCurrent: false },
    stream: { open: () => stream.pages(), leave: () => stream.leave() },
  };
}

/**
 * Waits until there is an item, the time is over, or the client or the service ends. The time does not depend on what
 * else is written: pages without items are read meanwhile, and nothing is answered.
 * @param before the page that was read first, and the journal's stamp from before it was
 * @throws Refusal UNAUTHENTICATED, NOT_FOUND when the caller loses the key or the place meanwhile
 */
async function waitForItems(
  context: ReadContext,
  input: ReadFeedInput,
  before: { readonly page: FeedPage; readonly stamp: number },
): Promise<FeedPage> {
  const { location, standAside, wait: every } = input;
  requirePlace(context.workspace.view(context.caller), location);
  const listening = new FeedListening(context, { location, every, standAside });
  try {
    let { page } = before;
    let wasCurrent = page.isCurrent;
    // What was written since the page began wakes nobody who listens only now.
    let isUpToNow = page.isCurrent && context.workspace.journal.contentStamp === before.stamp;
    while (page.items.length === 0 && !listening.isOver) {
      if (isUpToNow && (await listening.wait()) !== 'hint') break;
      listening.requireReadable();
      page = await sharePage(context, input, page.next, () => !listening.isOver);
      // Another key of the principal may have read it.
      listening.requireReadable();
      isUpToNow = page.isCurrent;
      wasCurrent ||= isUpToNow;
    }
    // What is hidden and was written while it waited may take longer to pass over than there is time. Nobody sees that.
    return { ...page, isCurrent: page.isCurrent || (wasCurrent && page.items.length < input.limit) };
  } finally {
    listening.end();
  }
}
