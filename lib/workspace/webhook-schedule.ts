import type { Sent } from '../domain/webhook.js';

/** A message for one receiver. */
export interface WebhookMessage {
  readonly url: string;
  /** The receiver knows it again by this id. */
  readonly id: string;
  /** Each signs it. The present one comes first. */
  readonly secrets: readonly string[];
  /** JSON. */
  readonly body: string;
}

/** What operations ask about receivers. The room `webhooks` stands above them, and `app` gives this. */
export interface WebhookSender {
  /**
   * Reads an address as a person wrote it.
   * @returns its usual form
   * @throws Refusal INVALID_REQUEST `bad_field` when nothing is sent to such an address
   */
  parse(url: string): Promise<string>;
  /** Signs a message and sends it once, for a bounded time. A receiver that fails is an answer. Never fails. */
  send(message: WebhookMessage, signal: AbortSignal): Promise<Sent>;
}

/** Delivers the messages of a workspace. */
export interface WebhookSchedule {
  /**
   * There may be more webhooks, or fewer.
   * @param webhookId one that may have something to send now, or nothing any more
   */
  wake(webhookId?: string): void;
  /** Ends the sending of messages about these documents, and notes nothing of it. Resolves when it is over. */
  breakOff(documentIds: readonly string[]): Promise<void>;
  /** How many webhooks are sending a message, or may have one to send. */
  readonly waiting: number;
  /** Sends nothing more. Resolves when nothing goes on. */
  close(): Promise<void>;
}

/** A workspace's way to the receivers of its webhooks. Without a server nothing is delivered, and the rest works. */
export class Webhooks {
  readonly sender: WebhookSender;
  #schedule: WebhookSchedule | undefined;

  constructor(sender: WebhookSender) {
    this.sender = sender;
  }

  /** Hands it the scheduler, which is closed with the workspace. */
  start(schedule: WebhookSchedule): void {
    this.#schedule = schedule;
  }

  wake(webhookId?: string): void {
    this.#schedule?.wake(webhookId);
  }

  /** How many webhooks are sending a message, or may have one to send; 0 without a server. */
  get waiting(): number {
    return this.#schedule?.waiting ?? 0;
  }

  async breakOff(documentIds: readonly string[]): Promise<void> {
    await this.#schedule?.breakOff(documentIds);
  }

  async close(): Promise<void> {
    const schedule = this.#schedule;
    this.#schedule = undefined;
    await schedule?.close();
  }
}

/** Where nothing is sent. */
export const noSender: WebhookSender = {
  parse: (url) => Promise.resolve(url),
  send: () =>
    Promise.resolve({
      outcome: 'failed',
      status: null,
      answer: 'This service sends no webhooks.',
      duration: 0,
      retryAfter: undefined,
    }),
};
