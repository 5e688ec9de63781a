import type { Release } from '../../limits/work-limiter.js';
import { principalSourceOf } from '../../limits/work-limits.js';
import { rootLocation, type Location } from '../../domain/location.js';
import { busy, notFound, Refusal, unauthenticated } from '../../domain/refusal.js';
import type { View } from '../../view/view.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import { ReachWatch } from '../../workspace/watch-reach.js';
import type { ReadContext } from '../operation.js';

/** Why a listener stopped waiting. */
export type WokenBy = 'hint' | 'time' | 'end';

/** Whether the caller finds the place. The root is there for everybody, as its listing is. @throws Refusal NOT_FOUND */
export function requirePlace(view: View, location: Location): void {
  if (location === rootLocation) return;
  if (view.document(location) === undefined && view.folder(location) === undefined) throw notFound();
}

/**
 * Counts a listener among those of its principal, whatever keys it has, and of its workspace. What is heard by MCP counts
 * apart, so that a program with many streams leaves room for the agent beside it.
 * @throws Refusal RATE_LIMITED, UNAVAILABLE where too many listen
 */
function takeRoom({ workspace, caller }: ReadContext): Release {
  const { listeners, workspaceListeners } = workspace.workLimits;
  const principal = principalSourceOf(workspace.name, caller);
  const ofPrincipal = listeners.takeNow(caller.interface === 'mcp' ? `${principal}/mcp` : principal);
  const ofWorkspace = workspaceListeners.tryTake(workspace.name);
  if (ofWorkspace === undefined) {
    ofPrincipal();
    throw busy();
  }
  return () => {
    ofPrincipal();
    ofWorkspace();
  };
}

export interface ListeningOptions {
  readonly location: Location;
  /** Milliseconds from one time to the next, counted from the beginning. */
  readonly every: number;
  /** Gives back the request's place among those under way; aborted when the caller's client has left. */
  readonly standAside: () => AbortSignal;
  /** Called once, at the end. @param fault what brought it; undefined where nothing is wrong */
  readonly onEnd?: (fault: unknown) => void;
}

/**
 * One caller who waits for changes. It holds a place among the listeners, and none among the requests under way. What
 * waits for it notices its end at once, for any cause.
 */
export class FeedListening {
  readonly #context: ReadContext;
  readonly #location: Location;
  readonly #watch: ReachWatch;
  readonly #release: Release;
  readonly #leaveTail: () => void;
  readonly #leaveWatchers: () => void;
  readonly #timer: NodeJS.Timeout;
  readonly #onEnd: ListeningOptions['onEnd'];
  #isHinted = false;
  #isTime = false;
  #hasEnded = false;
  #fault: Refusal | undefined;
  #goOn: (() => void) | undefined;

  /**
   * Begins to listen. Call it in the turn of the loop in which the caller's reach was checked.
   * @throws Refusal RATE_LIMITED, UNAVAILABLE where too many listen
   */
  constructor(context: ReadContext, { location, every, standAside, onEnd }: ListeningOptions) {
    const { workspace, caller } = context;
    this.#context = context;
    this.#location = location;
    this.#watch = new ReachWatch(workspace, caller);
    this.#onEnd = onEnd;
    this.#release = takeRoom(context);
    this.#leaveTail = workspace.feedTail.listen({
      location,
      reach: () => workspace.view(caller).reach,
      wake: () => this.#wake(),
      check: () => this.#check(),
    });
    this.#leaveWatchers = workspace.watchers.add(() => this.end());
    this.#timer = setInterval(() => this.#noteTime(), every);
    const client = standAside();
    if (client.aborted) this.end();
    else client.addEventListener('abort', () => this.end(), { once: true });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether it has ended, or a time has come. */
  get isOver(): boolean {
    return this.#hasEnded || this.#isTime;
  }

  /** As a `wait` that ends at once. @returns whether a time has come since the last one was taken */
  takeTime(): boolean {
    const isTime = this.#isTime;
    this.#isTime = false;
    return isTime;
  }

  /**
   * Requires that the caller's key or session is in force, and that the place is there for the caller.
   * @throws Refusal UNAUTHENTICATED, NOT_FOUND, UNAVAILABLE
   */
  requireReadable(): void {
    if (this.#fault !== undefined) throw this.#fault;
    this.#requireInForce();
    requirePlace(this.#context.workspace.view(this.#context.caller), this.#location);
  }

  /** Waits for a hint, a time or the end that came since the last one was taken. */
  async wait(): Promise<WokenBy> {
    if (!this.#hasEnded && !this.#isHinted && !this.#isTime) {
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
      });
      this.#goOn = undefined;
    }
    if (this.#isHinted) {
      this.#isHinted = false;
      // Each caller reads in a turn of its own, so that many of them add up to no hold.
      await yieldToLoop();
      return this.#hasEnded ? 'end' : 'hint';
    }
    if (this.#hasEnded) return 'end';
    this.#isTime = false;
    return 'time';
  }

  /** Gives everything back. May be called twice. */
  end(fault?: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearInterval(this.#timer);
    this.#leaveTail();
    this.#leaveWatchers();
    this.#release();
    this.#onEnd?.(fault);
    this.#goOn?.();
  }

  #noteTime(): void {
    this.#isTime = true;
    this.#goOn?.();
  }

  #wake(): void {
    this.#isHinted = true;
    this.#goOn?.();
  }

  /** A key, session or principal that is not in force any more wakes its listeners, which then find the fault. */
  #check(): void {
    try {
      this.#requireInForce();
    } catch (error) {
      // A file that cannot be read for a moment takes no right away.
      if (!(error instanceof Refusal) || error.code !== 'UNAUTHENTICATED') return;
      this.#fault = error;
      this.#wake();
    }
  }

  #requireInForce(): void {
    this.#watch.requireInForce();
    const { workspace, caller } = this.#context;
    const { principals } = workspace.journal.reader;
    // The operator has no row, and is never disabled.
    if (caller.credentialId === null && caller.sessionId === undefined) return;
    if (principals.find(caller.principalId)?.disabledAt !== null) throw unauthenticated();
  }
}
