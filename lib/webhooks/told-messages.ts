import type { Webhook } from '../domain/webhook.js';

/** Ids remembered of each webhook. */
const remembered = 200;

/**
 * What each webhook has told lately. An event can reach a document in two ways: by the folder that moved, and by the
 * document's own move since. A page of the feed tells it once, but messages are pages of one. After a restart it can
 * still come twice.
 */
export class ToldMessages {
  readonly #of = new Map<string, { readonly generation: number; readonly ids: Set<string> }>();

  /** Whether the webhook told it, and nobody has let it tell again since. */
  has({ id, generation }: Webhook, messageId: string): boolean {
    const told = this.#of.get(id);
    return told?.generation === generation && told.ids.has(messageId);
  }

  add({ id, generation }: Webhook, messageId: string): void {
    let told = this.#of.get(id);
    if (told?.generation !== generation) this.#of.set(id, (told = { generation, ids: new Set() }));
    told.ids.add(messageId);
    const [oldest] = told.ids;
    if (told.ids.size > remembered && oldest !== undefined) told.ids.delete(oldest);
  }

  forget(webhookId: string): void {
    this.#of.delete(webhookId);
  }
}
