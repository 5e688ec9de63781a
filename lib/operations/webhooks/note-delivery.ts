import type { Caller } from '../../domain/caller.js';
import type { Randomness } from '../../domain/clock.js';
import { makeIdentifier } from '../../domain/identifier.js';
import type { PrincipalKind } from '../../domain/principal.js';
import { notFound } from '../../domain/refusal.js';
import type { Sent, Webhook, WebhookStop } from '../../domain/webhook.js';
import type { Tables } from '../../sidecar/tables.js';
import type { WriteOperation } from '../operation.js';
import { hostOf } from './create-webhook.js';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** Milliseconds before each further attempt, after the first. After the last one, the webhook is disabled. */
export const pauses: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  12 * hour,
];
/** Milliseconds. A receiver cannot ask for more. */
export const maxPause = Math.max(...pauses);

/** An attempt to deliver a message that is over. */
export interface NotedDelivery {
  /** As it was when the message was made. */
  readonly webhook: Webhook;
  readonly messageId: string;
  readonly type: string;
  /** Null for a message about no document. */
  readonly documentId: string | null;
  readonly at: number;
  readonly sent: Sent;
  /** Positions: just before the message, and behind it. */
  readonly before: string;
  readonly next: string;
}

/** The owner of a webhook, as the principal whose access bounds its messages. */
export function ownerOf({ owner }: Webhook, kind: PrincipalKind, randomness: Randomness): Caller {
  return {
    principalId: owner,
    kind,
    credentialId: null,
    interface: 'webhook',
    requestId: makeIdentifier('req', randomness),
  };
}

/**
 * Notes an attempt. After a delivery, the position goes on in the same transaction, so no message is lost and none is
 * sent under another id. After a failure, the next attempt is set, or the webhook is disabled.
 */
export const noteDelivery: WriteOperation<NotedDelivery, TracedDocument> = {
  kind: 'write',
  name: 'webhook.deliver',
  worksWhenLow: true,
  needs: () => [],
  note: ({ webhook, messageId, type, sent }) => ({
    target: webhook.id,
    detail: { message: messageId, type, outcome: sent.outcome, status: sent.status, host: hostOf(webhook.url) },
  }),
  run({ transaction: { tables, now }, caller }, { webhook, messageId, type, documentId, at, sent, before, next }) {
    const current = tables.webhooks.byId(webhook.id);
    if (current === undefined || caller.principalId !== current.owner || caller.interface !== 'webhook')
      throw notFound();
    const { outcome, status, duration } = sent;
    const answer = tables.erasures.open().length === 0 && isThere(tables, documentId) ? sent.answer : null;
    const noted = { documentId: isThere(tables, documentId) ? documentId : null };
    tables.webhooks.addDelivery(webhook.id, { messageId, type, at, duration, outcome, status, answer }, before);
    // Another decision about it came meanwhile.
    if (current.generation !== webhook.generation) return noted;
    if (outcome === 'delivered') {
      tables.webhooks.setPosition(webhook.id, next);
      tables.webhooks.setFailures(webhook.id, 0, null);
    } else if (outcome === 'gone') tables.webhooks.stop(webhook.id, 'gone');
    else noteFailure(tables, current, now, { before, retryAfter: sent.retryAfter });
    return noted;
  },
  noteResult: ({ documentId }) => (documentId === null ? {} : { documentId }),
};

/** The document that a record may name; null for none, or for one that is erased. */
interface TracedDocument {
  readonly documentId: string | null;
}

/**
 * Whether the document of a message was not erased, nor is being erased. A receiver may repeat what it got, now or before:
 * so while anything is being erased, no answer is stored.
 */
function isThere({ documents, erasures }: Tables, documentId: string | null): boolean {
  if (documentId === null) return true;
  return (
    documents.byId(documentId) !== undefined &&
    erasures.open().every((each) => each.documentId !== null && each.documentId !== documentId)
  );
}

function noteFailure(
  { webhooks }: Tables,
  { id, failures }: Webhook,
  now: number,
  { before, retryAfter }: { readonly before: string; readonly retryAfter: number | undefined },
): void {
  const pause = pauses[failures];
  // What came before the message is passed over for good.
  webhooks.setPosition(id, before);
  webhooks.setFailures(id, failures + 1, pause === undefined ? null : now + longer(pause, retryAfter));
  if (pause === undefined) webhooks.stop(id, 'failed');
}

/** A receiver may ask for a longer pause, up to the longest of ours. */
const longer = (pause: number, retryAfter = 0): number => Math.min(Math.max(pause, retryAfter * second), maxPause);

export interface StoppedWebhook {
  readonly webhook: Webhook;
  readonly why: WebhookStop;
}

/** Disables a webhook by itself. */
export const stopWebhook: WriteOperation<StoppedWebhook, null> = {
  kind: 'write',
  name: 'webhook.stop',
  worksWhenLow: true,
  needs: () => [],
  note: ({ webhook, why }) => ({ target: webhook.id, detail: { why } }),
  run({ transaction: { tables }, caller }, { webhook, why }) {
    const current = tables.webhooks.byId(webhook.id);
    if (current === undefined || caller.principalId !== current.owner || caller.interface !== 'webhook')
      throw notFound();
    if (current.generation === webhook.generation && current.stopped === null) tables.webhooks.stop(webhook.id, why);
    return null;
  },
};
