import type { Webhook } from '../domain/webhook.js';

/** Ids remembered of each webhook. */
const remembered = 200;

/**
 * The ids of the last messages that each webhook sent. An event can reach a document in two ways: by the folder that
 * moved, and by the document's own move since. A page of the feed has it once, but messages are pages of one. After a
 * restart a message can still be sent twice.
 */
export class SentIds {
  readonly #of = new Map<string, { readonly generation: number; readonly ids: Set<string> }>();

  /** Whether the webhook sent it, and no redelivery was asked for since. */
  has({ id, generation }: Webhook, messageId: string): boolean {
    const sent = this.#of.get(id);
    return sent?.generation === generation && sent.ids.has(messageId);
  }

  add({ id, generation }: Webhook, messageId: string): void {
    let sent = this.#of.get(id);
    if (sent?.generation !== generation) this.#of.set(id, (sent = { generation, ids: new Set() }));
    sent.ids.add(messageId);
    const [oldest] = sent.ids;
    if (sent.ids.size > remembered && oldest !== undefined) sent.ids.delete(oldest);
  }

  forget(webhookId: string): void {
    this.#of.delete(webhookId);
  }
}
