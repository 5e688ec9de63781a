import { Readable } from 'node:stream';
import type { Release } from '../../limits/work-limiter.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { ReachWatch } from '../../workspace/watch-reach.js';
import type { ReadContext } from '../operation.js';
import { recordEnd } from '../record-end.js';
import { lookAt, type LiveState } from './look-at.js';

/** Milliseconds between two heartbeats: shorter than proxies, and our own port, wait in silence. */
export const usualBeat = 20_000;

/** Milliseconds after which a browser connects again. */
const retryAfter = 2000;

/**
 * The live state of one place as server-sent events: `state` at the beginning and after each change, `gone` before the
 * end when the place is not there for the caller any more.
 *
 * It looks once a second, by the timer of the feed's tail, and only when the journal has written since. So neither the
 * events nor their times show anything that is hidden (decision 0225). It holds at most one event that is not yet sent: a slow
 * reader gets the newest state. Each look asks again for the session and the reach.
 */
export class LiveStream extends Readable {
  readonly #context: ReadContext;
  readonly #location: Location;
  readonly #action: string;
  readonly #watch: ReachWatch;
  readonly #release: Release;
  readonly #stopLooking: () => void;
  readonly #beating: NodeJS.Timeout;
  readonly #leave: () => void;
  #isWanted = false;
  #isBeatDue = false;
  #isOver = false;
  /** The state that the reader has, as sent. */
  #sent = '';
  #seen = '';
  #endsAt = 0;

  /**
   * @param watch of the caller, made when its reach was checked
   * @param release gives back the room for the stream; called when it ends
   * @param beat milliseconds between two heartbeats
   */
  constructor(
    context: ReadContext,
    location: Location,
    { action, watch, release, beat }: { action: string; watch: ReachWatch; release: Release; beat: number },
  ) {
    super({ highWaterMark: 1 });
    this.#context = context;
    this.#location = location;
    this.#action = action;
    this.#watch = watch;
    this.#release = release;
    this.push(`retry: ${retryAfter}\n\n`);
    this.#stopLooking = context.workspace.feedTail.eachSecond(() => this.#look());
    this.#beating = setInterval(() => {
      this.#isBeatDue = true;
      this.#beat();
    }, beat);
    this.#leave = context.workspace.watchers.add(() => this.#end());
  }

  override _read(): void {
    this.#isWanted = true;
    if (this.#sent === '') this.#look();
    this.#beat();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#stop();
    callback(error);
  }

  #stop(): void {
    this.#stopLooking();
    clearInterval(this.#beating);
    this.#leave();
    this.#release();
  }

  #beat(): void {
    if (this.#isBeatDue && this.#isWanted && !this.#isOver) this.#send(': \n\n');
  }

  /** Sends the state if it changed since the reader last got one, or ends. */
  #look(): void {
    if (this.#isOver) return;
    try {
      this.#watch.requireInForce();
      const { workspace, caller } = this.#context;
      const { journal, clock } = workspace;
      const seen = `${journal.sidecar.reachStamp} ${journal.contentStamp}`;
      if (!this.#isWanted || (seen === this.#seen && clock.now() < this.#endsAt)) return;
      const look = lookAt(workspace.view(caller), this.#location);
      if (look === undefined) {
        this.push('event: gone\ndata: {}\n\n');
        throw notFound();
      }
      this.#seen = seen;
      this.#endsAt = look.endsAt;
      this.#sendState(look.state);
    } catch (error) {
      this.#fail(error);
    }
  }

  #sendState(state: LiveState): void {
    const text = JSON.stringify(state);
    if (text === this.#sent) return;
    this.#sent = text;
    this.#send(`event: state\ndata: ${text}\n\n`);
  }

  /** Ends with a record of why: the caller does not have the right, or the place, any more. */
  #fail(error: unknown): void {
    this.#end();
    // It names no place: an erase that waited for this end has already searched the records.
    recordEnd(this.#context, { action: this.#action, note: {}, isComplete: false, fault: error });
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop();
    this.push(null);
  }

  #send(text: string): void {
    this.#isWanted = false;
    this.#isBeatDue = false;
    this.push(text);
  }
}
