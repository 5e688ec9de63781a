import { useEffect, useEffectEvent } from 'react';
import { apiAddress, request } from './client.ts';
import { asProblem } from './problem.ts';

/** What a page can know of a place without asking for it. Each value changes with what it stands for. */
export interface LiveState {
  readonly kind: 'document' | 'folder';
  /** Of a document: its current version. */
  readonly version?: string;
  /** The place itself, and the person's role there. */
  readonly record: string;
  readonly labels?: string;
  readonly claims?: string;
  readonly comments?: string;
  /** Of a folder. */
  readonly entries?: string;
}

export interface LiveEvents {
  /** @param before the state of the event before; undefined at the first */
  onState(state: LiveState, before: LiveState | undefined): void;
  /** The place is not there for the person any more. */
  onGone(): void;
}

/** Milliseconds between two questions where no stream can be had. */
const pollEvery = 15_000;

/** The states of one place: by a stream, and by asking again and again where that is refused. */
class LiveConnection {
  readonly #addressOf: () => string;
  readonly #events: LiveEvents;
  #source: EventSource | undefined;
  #timer: number | undefined;
  #last: LiveState | undefined;

  /** @param addressOf the address at this moment */
  constructor(addressOf: () => string, events: LiveEvents) {
    this.#addressOf = addressOf;
    this.#events = events;
  }

  open(): void {
    if (this.#source !== undefined || this.#timer !== undefined) return;
    const source = new EventSource(this.#addressOf());
    this.#source = source;
    source.addEventListener('state', ({ data }: MessageEvent<string>) => this.#take(JSON.parse(data) as LiveState));
    source.addEventListener('gone', () => this.#end());
    source.addEventListener('error', () => {
      // The browser connects again by itself, unless it was refused.
      if (source.readyState !== EventSource.CLOSED || this.#source !== source) return;
      this.close();
      this.#timer = window.setInterval(() => void this.#ask(), pollEvery);
      void this.#ask();
    });
  }

  close(): void {
    this.#source?.close();
    this.#source = undefined;
    window.clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #take(state: LiveState): void {
    const before = this.#last;
    this.#last = state;
    if (JSON.stringify(state) !== JSON.stringify(before)) this.#events.onState(state, before);
  }

  #end(): void {
    this.close();
    this.#events.onGone();
  }

  async #ask(): Promise<void> {
    try {
      const answer = await request(this.#addressOf(), { headers: { Accept: 'application/json' } });
      if (this.#timer !== undefined) this.#take((await answer.json()) as LiveState);
    } catch (error) {
      if (asProblem(error).code === 'NOT_FOUND' && this.#timer !== undefined) this.#end();
    }
  }
}

/**
 * Follows a document or folder for as long as the page is looked at. A hidden page holds no connection.
 * @param page what came with the place when it was read. Undefined until then: the page begins to follow afterwards, so
 * that one record of the audit log says both. Null for a page that reads something else
 */
export function useLive(
  workspace: string,
  location: string,
  page: string | undefined | null,
  events: LiveEvents,
): void {
  const isOpened = page !== undefined;
  const pageOf = useEffectEvent(() => (typeof page === 'string' ? `&page=${encodeURIComponent(page)}` : ''));
  const onState = useEffectEvent((state: LiveState, before: LiveState | undefined) => events.onState(state, before));
  const onGone = useEffectEvent(() => events.onGone());
  useEffect(() => {
    if (!isOpened) return undefined;
    const address = `${apiAddress(workspace, '/live')}?location=${encodeURIComponent(location)}`;
    const connection = new LiveConnection(() => address + pageOf(), {
      onState: (...given) => onState(...given),
      onGone: () => onGone(),
    });
    const follow = (): void => {
      if (document.visibilityState === 'visible') connection.open();
      else connection.close();
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      connection.close();
    };
  }, [workspace, location, isOpened]);
}
