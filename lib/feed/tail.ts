import type { Reach } from '../view/reach.js';
import { isWithin, type Location } from '../domain/location.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import type { Tables } from '../sidecar/tables.js';
import { endOfFeed } from './feed-position.js';
import type { FeedPage } from './read-feed.js';
import { touchedSince, type Touched, type TouchedSince } from './touched-since.js';

/** What the tail looks at. */
export interface TailSource {
  /** Changes with every write that did more than add to the audit log. */
  readonly contentStamp: number;
  /** @throws Refusal UNAVAILABLE while the file cannot be read */
  readonly reader: Tables;
}

/** A listener that waits for changes. Neither call may take long: work goes into a turn of the loop of its own. */
export interface FeedListener {
  /** A folder or document; the root for everything in reach. */
  readonly location: Location;
  /** The reach of the caller now. @throws Refusal UNAVAILABLE */
  reach(): Reach;
  /**
   * Something may have changed for the listener since the last look. It is a hint: the listener reads its page, which
   * may be empty.
   */
  wake(): void;
  /** Called once a second: the listener looks whether its caller's key or session is still in force. */
  check(): void;
}

/** What is to be called each second. */
interface Call {
  readonly call: () => void;
}

export interface FeedTailOptions {
  /** Milliseconds between two looks. Left out: the usual ones. */
  readonly interval?: number | undefined;
  /** Receives what a call threw, once until that call succeeds again. */
  readonly onFault: (cause: unknown) => void;
}

/** Milliseconds between two looks, the same for everyone who listens. */
const usualInterval = 250;
/** Looks from one check to the next, and so to the next calls of each second. */
const looksToCheck = 4;
/** Pages remembered for others who want them in the same look. */
const maxPages = 100;

/**
 * Tells listeners that it is time to read the feed. There is one for a workspace, and it rests while it has neither
 * listeners nor calls of each second.
 *
 * It looks at fixed times, and only asks whether the journal has written since. So neither the work of a write nor its
 * time depends on who listens, and a listener cannot tell from the time of a wake-up what was written (decision 0225).
 *
 * A call that throws is reported and called again at its next time. It keeps no other from being called.
 */
export class FeedTail {
  readonly #source: TailSource;
  readonly #interval: number;
  readonly #onFault: FeedTailOptions['onFault'];
  readonly #listeners = new Set<FeedListener>();
  readonly #eachSecond = new Set<Call>();
  /** What threw when it was last called so. */
  readonly #faulty = { wake: new WeakSet<object>(), check: new WeakSet<object>(), call: new WeakSet<object>() };
  #timer: NodeJS.Timeout | undefined;
  /** Of the source, at the last look; undefined where it could not be read. */
  #seen: number | undefined;
  /** Of the feed, at the last look; undefined where it could not be read, or where nobody listens. */
  #position: string | undefined;
  #looks = 0;
  /** Pages of this look, by what they show to whom. */
  readonly #pages = new Map<string, Promise<FeedPage>>();
  #pagesOf = -1;
  #isCalling = false;

  constructor(source: TailSource, { interval = usualInterval, onFault }: FeedTailOptions) {
    this.#source = source;
    this.#interval = interval;
    this.#onFault = onFault;
  }

  /** How many listen. */
  get size(): number {
    return this.#listeners.size;
  }

  /**
   * Listens from now on: whatever is written after this call wakes the listener.
   * @returns ends it; may be called twice
   */
  listen(listener: FeedListener): () => void {
    if (this.#listeners.size === 0) {
      this.#seen = this.#source.contentStamp;
      this.#position = this.#findEnd();
    }
    this.#listeners.add(listener);
    this.#run();
    return () => {
      this.#listeners.delete(listener);
      this.#restIfUnused();
    };
  }

  /**
   * Calls once a second from now on, in turns of the loop that are shared with other calls only while they are short.
   * @returns ends it; may be called twice
   */
  eachSecond(call: () => void): () => void {
    // One function may be given twice.
    const own: Call = { call };
    this.#eachSecond.add(own);
    this.#run();
    return () => {
      this.#eachSecond.delete(own);
      this.#restIfUnused();
    };
  }

  /**
   * A page that several listeners of one principal want at the same time is read once, while nothing is written.
   * @param name of the page: principal, query and position
   */
  share(name: string, read: () => Promise<FeedPage>): Promise<FeedPage> {
    const stamp = this.#source.contentStamp;
    if (stamp !== this.#pagesOf || this.#pages.size >= maxPages) this.#pages.clear();
    this.#pagesOf = stamp;
    const shared = this.#pages.get(name);
    if (shared !== undefined) return shared;
    const page = read();
    this.#pages.set(name, page);
    page.catch(() => this.#pages.delete(name));
    return page;
  }

  /** Rests until there is a listener again. */
  close(): void {
    this.#listeners.clear();
    this.#eachSecond.clear();
    this.#restIfUnused();
  }

  #run(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.#look(), this.#interval);
    this.#timer.unref();
  }

  #restIfUnused(): void {
    if (this.#listeners.size > 0) return;
    this.#pages.clear();
    this.#position = undefined;
    if (this.#eachSecond.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #findEnd(): string | undefined {
    try {
      return endOfFeed({ tables: this.#source.reader });
    } catch {
      return undefined;
    }
  }

  async #look(): Promise<void> {
    // A look that lasts longer than the interval makes the next one wait for the interval after it.
    if (this.#isCalling) return;
    this.#isCalling = true;
    try {
      if (this.#listeners.size > 0) await this.#wakeConcerned();
      this.#looks += 1;
      if (this.#looks % looksToCheck > 0) return;
      await this.#callAll(this.#listeners, (listener) => listener.check(), this.#faulty.check);
      await this.#callAll(this.#eachSecond, ({ call }) => call(), this.#faulty.call);
    } catch (cause) {
      // Without this the process would end by an unhandled rejection.
      this.#onFault(cause);
    } finally {
      this.#isCalling = false;
    }
  }

  async #wakeConcerned(): Promise<void> {
    const stamp = this.#source.contentStamp;
    if (stamp === this.#seen) {
      this.#pages.clear();
      return;
    }
    this.#seen = stamp;
    const found = this.#findTouched();
    const wake = (listener: FeedListener): void => {
      if (found === 'unknown' || concerns(found, listener)) listener.wake();
    };
    await this.#callAll(this.#listeners, wake, this.#faulty.wake);
  }

  /** @returns 'unknown' where so much was touched, or the file is so out of order, that everybody has to look */
  #findTouched(): TouchedSince | 'unknown' {
    try {
      const found = this.#position === undefined ? undefined : touchedSince(this.#source.reader, this.#position);
      this.#position = found?.isAll === true ? found.position : this.#findEnd();
      return found?.isAll === true ? { ...found, touched: dropPlaceless(found.touched) } : 'unknown';
    } catch {
      this.#position = this.#findEnd();
      return 'unknown';
    }
  }

  /** Others get their turn in between, and those to call may come and go. */
  #callAll<Each extends object>(
    all: ReadonlySet<Each>,
    call: (each: Each) => void,
    faulty: WeakSet<object>,
  ): Promise<void> {
    const report = this.#onFault;
    function callOne(each: Each): void {
      try {
        call(each);
        faulty.delete(each);
      } catch (cause) {
        if (!faulty.has(each)) report(cause);
        faulty.add(each);
      }
    }
    const present = [...all];
    function* callEach(): Generator<void, void> {
      for (const each of present) {
        if (all.has(each)) callOne(each);
        yield;
      }
    }
    return runCooperatively(callEach());
  }
}

/** Whether the listener may have something to read. It may say yes too often, never no. */
function concerns({ touched, isAccessTouched }: TouchedSince, listener: FeedListener): boolean {
  if (isAccessTouched) return true;
  const near = touched.filter((each) => isNear(each, listener.location));
  if (near.length === 0) return false;
  try {
    const reach = listener.reach();
    return near.some((each) => isReached(each, reach));
  } catch {
    return true;
  }
}

const placesOf = ({ location, from }: Touched): readonly Location[] => (location === null ? from : [location, ...from]);

/** What was told of a document before its deletion lies nowhere now: the deletion says where it was. */
function dropPlaceless(touched: readonly Touched[]): readonly Touched[] {
  const placed = new Set(touched.filter((each) => placesOf(each).length > 0).map(({ documentId }) => documentId));
  return touched.filter((each) => placesOf(each).length > 0 || !placed.has(each.documentId));
}

/** A folder above the place may have moved with everything in it. */
function isNear(touched: Touched, place: Location): boolean {
  const places = placesOf(touched);
  return places.length === 0 || places.some((each) => isWithin(place, each) || isWithin(each, place));
}

function isReached(touched: Touched, reach: Reach): boolean {
  const { documentId } = touched;
  const places = placesOf(touched);
  if (places.length === 0) return true;
  if (documentId !== null) return places.some((each) => reach.roleOn(documentId, each) !== undefined);
  // Documents with grants of their own may lie in a folder that moved.
  return (
    reach.hasDocuments || places.some((each) => reach.roleIn(each) !== undefined || reach.foldersBelow(each).length > 0)
  );
}
