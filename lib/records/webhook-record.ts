import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import type { Sent, WebhookDelivery } from '../domain/webhook.js';
import type { ShownWebhook, WebhookWithSecret } from '../operations/webhooks/find-webhook.js';
import { toAuthorRecord } from './author-record.js';

/** The description's `WebhookDelivery`. */
export function toDeliveryRecord({ number, messageId, type, at, duration, outcome, status, answer }: WebhookDelivery) {
  return { number, message_id: messageId, type, at: formatTime(at), duration_ms: duration, outcome, status, answer };
}

/** The description's `Webhook`. */
export function toWebhookRecord(webhook: ShownWebhook) {
  const { id, name, location, url, kinds, stopped, failures, nextAttemptAt, rotatingUntil, createdAt } = webhook;
  return {
    id,
    name,
    location,
    url,
    kinds,
    enabled: stopped === null,
    stopped,
    failures,
    next_attempt_at: formatTimeOrNull(nextAttemptAt),
    last_delivery: webhook.lastDelivery === null ? null : toDeliveryRecord(webhook.lastDelivery),
    rotating_until: formatTimeOrNull(rotatingUntil),
    created_at: formatTime(createdAt),
    owner: toAuthorRecord(webhook.owner),
  };
}

/** The description's `WebhookWithSecret`. */
export function toWebhookWithSecret({ webhook, secret }: WebhookWithSecret) {
  return { ...toWebhookRecord(webhook), secret };
}

/** The description's `WebhookTest`. */
export function toSentRecord({ outcome, status, answer, duration }: Sent) {
  return { delivered: outcome === 'delivered', status, answer, duration_ms: duration };
}
