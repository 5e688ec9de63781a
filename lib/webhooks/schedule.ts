import type { Location } from '../domain/location.js';
import type { Log } from '../domain/log.js';
import type { Clock } from '../domain/clock.js';
import { isSecurityKind, type Webhook } from '../domain/webhook.js';
import { ownerOf } from '../operations/webhooks/note-delivery.js';
import { RunSlots } from '../scheduling/run-slots.js';
import { systemTimers, type Timers } from '../scheduling/timers.js';
import type { WebhookSchedule } from '../workspace/webhooks.js';
import type { Workspace } from '../workspace/workspace.js';
import { deliverNext } from './deliver-next.js';

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

/** Milliseconds after which it looks again, even if nothing is due: the time of day can be set. */
const longestSleep = 10 * 60_000;
/** Milliseconds until another try, when a delivery could not be noted. */
const pauseAfterFault = 60_000;

/** Delivers the messages of a workspace's webhooks: each in its order, and none waits for another. */
export function openWebhookSchedule(options: ScheduleOptions): WebhookSchedule {
  return new Schedule(options);
}

interface Running {
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
  /** Where each looks at next, beyond its stored position: nothing in between concerned it. */
  readonly #looked = new Map<string, { readonly stored: string; readonly reached: string }>();
  /** When those that could not be noted may be tried again, by the steady clock. */
  readonly #notBefore = new Map<string, number>();
  /** Those that the tail of the feed wakes. */
  readonly #listening = new Map<string, () => void>();
  #stopTimer: () => void = () => undefined;
  #isClosed = false;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.wake();
  }

  /** Somebody has changed a webhook, or the service begins. */
  readonly wake = (): void => {
    if (this.#isClosed) return;
    try {
      const enabled = this.#options.workspace.journal.reader.webhooks.enabled();
      const ids = new Set(enabled.map(({ id }) => id));
      for (const id of this.#listening.keys()) if (!ids.has(id)) this.#forget(id);
      for (const webhook of enabled) {
        if (!this.#listening.has(webhook.id)) this.#listening.set(webhook.id, this.#listen(webhook));
        this.#pending.add(webhook.id);
      }
      this.#begin();
    } catch (error) {
      this.#failAll(error);
    }
  };

  #listen(webhook: Webhook): () => void {
    const { workspace } = this.#options;
    const { id, owner, kinds } = webhook;
    const isSecurity = kinds?.some(isSecurityKind) === true;
    const kind = workspace.journal.reader.principals.find(owner)?.kind ?? 'person';
    const caller = ownerOf(webhook, kind, workspace.randomness);
    const tell = (): void => {
      this.#pending.add(id);
      this.#look();
    };
    /** Number of the last record of the audit log when it last looked. */
    let seen = 0;
    return workspace.feedTail.listen({
      location: webhook.location as Location,
      reach: () => workspace.view(caller).reach,
      wake: () => {
        if (!isSecurity) tell();
      },
      // Not every record of the audit log is a write that the tail sees.
      check: () => {
        const last = isSecurity ? (workspace.journal.reader.audit.head()?.seq ?? 0) : seen;
        if (last === seen) return;
        seen = last;
        tell();
      },
    });
  }

  #forget(id: string): void {
    this.#listening.get(id)?.();
    this.#listening.delete(id);
    this.#looked.delete(id);
    this.#pending.delete(id);
  }

  /** Its turn, or its time, has come. */
  readonly #look = (): void => {
    if (this.#isClosed) return;
    try {
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
      if (webhook === undefined || webhook.stopped !== null) {
        this.#forget(id);
        continue;
      }
      const due = webhook.nextAttemptAt ?? now;
      if (due > now) {
        wait = Math.min(wait, due - now);
        continue;
      }
      const kind = webhook.failures > 0 ? slots.retries : slots.usual;
      const release = kind.take(this.#look);
      if (release !== undefined) this.#start(webhook, release);
    }
    if (wait < Number.POSITIVE_INFINITY) this.#sleep(Math.min(wait, longestSleep));
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
    const from = looked?.stored === webhook.position ? looked.reached : webhook.position;
    const cancel = new AbortController();
    this.#pending.delete(id);
    const told: Running['told'] = { documentId: null };
    const tell = (documentId: string | null): void => void (told.documentId = documentId);
    const over = deliverNext(workspace, webhook, from, { signal: cancel.signal, tell })
      .then(({ reached, isCurrent }) => {
        if (reached !== null && this.#listening.has(id)) this.#looked.set(id, { stored: webhook.position, reached });
        if (!isCurrent) this.#pending.add(id);
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
    this.#running.set(id, { cancel, over, told });
  }

  #sleep(milliseconds: number): void {
    this.#stopTimer();
    if (!this.#isClosed) this.#stopTimer = this.#timers.after(milliseconds, this.#look);
  }

  #failAll(error: unknown): void {
    this.#fail('The webhooks could not be read', error);
    this.#sleep(pauseAfterFault);
  }

  #fail(what: string, error: unknown): void {
    const { workspace, log } = this.#options;
    if (!this.#isClosed) log.error({ workspace: workspace.name, err: error }, what);
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
    for (const stop of this.#listening.values()) stop();
    const { usual, retries } = this.#options.slots;
    usual.forget(this.#look);
    retries.forget(this.#look);
    const running = [...this.#running.values()];
    for (const { cancel } of running) cancel.abort(new Error('The service ends.'));
    await Promise.all(running.map(({ over }) => over));
  }
}
