import type { Location } from '../domain/location.js';
import type { Log } from '../domain/log.js';
import type { Clock } from '../domain/clock.js';
import { isSecurityKind, type Webhook } from '../domain/webhook.js';
import { maxPause, ownerOf } from '../operations/webhooks/note-delivery.js';
import { notePassed, type Passed } from '../operations/webhooks/note-passed.js';
import { RunSlots } from '../scheduling/run-slots.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import { systemTimers, type Timers } from '../scheduling/timers.js';
import type { WebhookSchedule } from '../workspace/webhook-schedule.js';
import type { Workspace } from '../workspace/workspace.js';
import { deliverNext } from './deliver-next.js';
import { SentIds } from './sent-ids.js';

/** Deliveries at once over the whole service: to receivers that answer, and to those that failed the last time. */
export interface DeliverySlots {
  readonly usual: RunSlots;
  readonly retries: RunSlots;
}

/** A dead receiver takes none of the slots of the others. */
export const makeDeliverySlots = (): DeliverySlots => ({ usual: new RunSlots(12), retries: new RunSlots(4) });

export interface ScheduleOptions {
  readonly workspace: Workspace;
  readonly clock: Clock;
  readonly log: Log;
  /** Of the whole service. */
  readonly slots: DeliverySlots;
  /** Left out: the system's. */
  readonly timers?: Timers;
}

/** Of these, what one workspace may take, and one owner in it: slow receivers of some leave room for those of others. */
const shares = {
  usual: { ofWorkspace: 9, ofOwner: 3 },
  retries: { ofWorkspace: 3, ofOwner: 2 },
} as const;

/** Milliseconds after which it looks again, even if nothing is due: the time of day can be set. */
const maxSleep = 10 * 60_000;
/** Milliseconds between two notes of how far one has looked. */
const notedEvery = 60 * 60_000;
/** Milliseconds until another try, when a delivery could not be noted. */
const pauseAfterFault = 60_000;

/** Delivers the messages of a workspace's webhooks: each in its order, and none waits for another. */
export function openWebhookSchedule(options: ScheduleOptions): WebhookSchedule {
  return new Schedule(options);
}

/** A webhook that the tail of the feed wakes. */
interface Listening {
  /** Where its folder was when it last looked. */
  location: Location;
  stop: () => void;
}

interface Running {
  readonly owner: string;
  readonly isRetry: boolean;
  readonly cancel: AbortController;
  readonly over: Promise<void>;
  /** Of the message that is being sent. */
  readonly told: { documentId: string | null };
}

class Schedule implements WebhookSchedule {
  readonly #options: ScheduleOptions;
  readonly #timers: Timers;
  readonly #running = new Map<string, Running>();
  /** Those that may have something to tell. */
  readonly #pending = new Set<string>();
  /** Where each looks at next, beyond its stored position: nothing in between concerned it. It is noted now and then. */
  readonly #looked = new Map<string, Passed>();
  /** When that was noted the last time for each, by the steady clock. */
  readonly #passedAt = new Map<string, number>();
  /** When those that could not be noted may be tried again, by the steady clock. */
  readonly #notBefore = new Map<string, number>();
  readonly #listening = new Map<string, Listening>();
  readonly #sentIds = new SentIds();
  /** Whether the webhooks could not be read when they were to be. That is reported once. */
  #isUnreadable = false;
  /** Whether there can be webhooks that nothing wakes yet. */
  #isListDue = true;
  #stopTimer: () => void = () => undefined;
  #isClosed = false;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.wake();
  }

  readonly wake = (webhookId?: string): void => {
    this.#isListDue = true;
    if (webhookId !== undefined) this.#pending.add(webhookId);
    this.#look();
  };

  /** Listens for those that are enabled now, and for no others. */
  #listAll(): void {
    const { webhooks } = this.#options.workspace.journal.reader;
    const enabled = new Set(webhooks.enabled());
    for (const id of this.#listening.keys()) if (!enabled.has(id)) this.#forget(id);
    for (const id of enabled) {
      const webhook = this.#listening.has(id) ? undefined : webhooks.byId(id);
      if (webhook === undefined) continue;
      this.#listening.set(id, this.#listen(webhook));
      this.#pending.add(id);
    }
    this.#isListDue = false;
  }

  #listen(webhook: Webhook): Listening {
    const { workspace } = this.#options;
    const { id, owner, kinds } = webhook;
    const isSecurity = kinds?.some(isSecurityKind) === true;
    const kind = workspace.journal.reader.principals.find(owner)?.kind ?? 'person';
    const caller = ownerOf(webhook, kind, workspace.randomness);
    const listening: Listening = { location: webhook.location as Location, stop: () => undefined };
    const tell = (): void => {
      this.#pending.add(id);
      this.#look();
    };
    /** Number of the last record of the audit log, or stamp of the content, when it last looked. */
    let seen = 0;
    const check = (): void => {
      const { journal } = workspace;
      const last = isSecurity ? (journal.reader.audit.head()?.seq ?? 0) : journal.contentStamp;
      if (last === seen) return;
      // Not every record of the audit log is a write that the tail sees, and a folder that moved has another place.
      const isElsewhere = !isSecurity && journal.reader.webhooks.byId(id)?.location !== listening.location;
      seen = last;
      this.#isUnreadable = false;
      if (isSecurity || isElsewhere) tell();
    };
    listening.stop = workspace.feedTail.listen({
      get location() {
        return listening.location;
      },
      reach: () => workspace.view(caller).reach,
      wake: () => {
        if (!isSecurity) tell();
      },
      check: () => {
        try {
          check();
        } catch (error) {
          this.#failAll(error);
        }
      },
    });
    return listening;
  }

  #forget(id: string): void {
    this.#listening.get(id)?.stop();
    this.#listening.delete(id);
    this.#looked.delete(id);
    this.#passedAt.delete(id);
    this.#sentIds.forget(id);
    this.#pending.delete(id);
  }

  /** Its turn, or its time, has come. */
  readonly #look = (): void => {
    if (this.#isClosed) return;
    try {
      if (this.#isListDue) this.#listAll();
      this.#begin();
    } catch (error) {
      this.#failAll(error);
    }
  };

  /** Begins what can begin, and sleeps until something else can. */
  #begin(): void {
    const { workspace, clock, slots } = this.#options;
    const { webhooks } = workspace.journal.reader;
    const now = clock.now();
    let wait = Number.POSITIVE_INFINITY;
    for (const id of this.#pending) {
      if (this.#running.has(id)) continue;
      if (this.#isPutOff(id)) {
        wait = Math.min(wait, pauseAfterFault);
        continue;
      }
      const webhook = webhooks.byId(id);
      this.#isUnreadable = false;
      if (webhook === undefined || webhook.stopped !== null) {
        this.#forget(id);
        continue;
      }
      const listening = this.#listening.get(id);
      if (listening !== undefined) listening.location = webhook.location as Location;
      const due = webhook.nextAttemptAt ?? now;
      // No pause is longer. If one seems to be, the clock was set back.
      if (due > now && due <= now + maxPause) {
        wait = Math.min(wait, due - now);
        continue;
      }
      // The end of one that is under way begins another.
      if (this.#hasItsShare(webhook)) continue;
      const kind = webhook.failures > 0 ? slots.retries : slots.usual;
      const release = kind.take(this.#look);
      if (release !== undefined) this.#start(webhook, release);
    }
    if (wait < Number.POSITIVE_INFINITY) this.#sleep(Math.min(wait, maxSleep));
  }

  /** Whether its owner, or the whole workspace, has as many deliveries under way as may be. */
  #hasItsShare({ owner, failures }: Webhook): boolean {
    const { ofOwner, ofWorkspace } = failures > 0 ? shares.retries : shares.usual;
    const alike = [...this.#running.values()].filter(({ isRetry }) => isRetry === failures > 0);
    return alike.length >= ofWorkspace || alike.filter((each) => each.owner === owner).length >= ofOwner;
  }

  #isPutOff(id: string): boolean {
    const until = this.#notBefore.get(id);
    if (until === undefined) return false;
    if (this.#options.clock.elapsed() < until) return true;
    this.#notBefore.delete(id);
    return false;
  }

  #start(webhook: Webhook, release: () => void): void {
    const { id } = webhook;
    const { workspace } = this.#options;
    const looked = this.#looked.get(id);
    const isAsBefore =
      looked?.webhook.position === webhook.position && looked.webhook.generation === webhook.generation;
    const from = isAsBefore ? looked.reached : webhook.position;
    const cancel = new AbortController();
    this.#pending.delete(id);
    const told: Running['told'] = { documentId: null };
    const tell = (documentId: string | null): void => void (told.documentId = documentId);
    // In a turn of its own: one that finds nothing to send ends without a wait, and the next one begins at once.
    const over = yieldToLoop()
      .then(() => deliverNext(workspace, webhook, from, { signal: cancel.signal, sentIds: this.#sentIds, tell }))
      .then(async ({ reached, isCurrent }) => {
        if (reached === null) this.#looked.delete(id);
        else if (this.#listening.has(id)) this.#looked.set(id, { webhook, reached, endsFailures: false });
        if (!isCurrent) this.#pending.add(id);
        await this.#notePassed(id);
      })
      .catch((error: unknown) => {
        this.#pending.add(id);
        this.#notBefore.set(id, this.#options.clock.elapsed() + pauseAfterFault);
        this.#fail('A delivery of a webhook could not be noted, and will be repeated', error);
      })
      .finally(() => {
        this.#running.delete(id);
        release();
        this.#look();
      });
    this.#running.set(id, { owner: webhook.owner, isRetry: webhook.failures > 0, cancel, over, told });
  }

  /** Notes once an hour how far it has looked, so that a later start does not read all of it again. */
  async #notePassed(id: string): Promise<void> {
    const { workspace, clock } = this.#options;
    const now = clock.elapsed();
    const last = this.#passedAt.get(id);
    if (last === undefined) this.#passedAt.set(id, now);
    const looked = this.#looked.get(id);
    if (looked === undefined || last === undefined || now - last < notedEvery) return;
    this.#passedAt.set(id, now);
    await notePassed(workspace, [looked]);
  }

  #sleep(milliseconds: number): void {
    this.#stopTimer();
    if (!this.#isClosed) this.#stopTimer = this.#timers.after(milliseconds, this.#look);
  }

  #failAll(error: unknown): void {
    if (!this.#isUnreadable) this.#fail('The webhooks could not be read', error);
    this.#isUnreadable = true;
    this.#sleep(pauseAfterFault);
  }

  #fail(what: string, error: unknown): void {
    const { workspace, log } = this.#options;
    if (!this.#isClosed) log.error({ workspace: workspace.name, err: error }, what);
  }

  get waiting(): number {
    return new Set([...this.#pending, ...this.#running.keys()]).size;
  }

  async breakOff(documentIds: readonly string[]): Promise<void> {
    const found = [...this.#running].filter(([, { told }]) => documentIds.includes(told.documentId ?? ''));
    for (const [, { cancel }] of found) cancel.abort(new Error('The document is erased.'));
    await Promise.all(found.map(([, { over }]) => over));
    for (const [id] of found) if (this.#listening.has(id)) this.#pending.add(id);
    this.#look();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    for (const { stop } of this.#listening.values()) stop();
    const { usual, retries } = this.#options.slots;
    usual.forget(this.#look);
    retries.forget(this.#look);
    const running = [...this.#running.values()];
    for (const { cancel } of running) cancel.abort(new Error('The service ends.'));
    await Promise.all(running.map(({ over }) => over));
    // Without it, the next start reads the same again. Nothing else depends on it.
    const passed = [...this.#looked.values()].filter(({ webhook, reached }) => reached !== webhook.position);
    if (passed.length > 0) await notePassed(this.#options.workspace, passed).catch(() => undefined);
  }
}
