import type { WriteContext } from '../../changes/write-context.js';
import { rootLocation, type Location } from '../../domain/location.js';
import type { Author } from '../../domain/principal.js';
import { notFound } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import type { Webhook, WebhookDelivery } from '../../domain/webhook.js';
import type { Tables } from '../../sidecar/tables.js';
import type { View } from '../../view/view.js';

/** A webhook as those see it who manage it. No secret is in it. */
export interface ShownWebhook extends Omit<Webhook, 'owner' | 'position' | 'generation'> {
  readonly owner: Author;
  readonly lastDelivery: WebhookDelivery | null;
}

/** A webhook with the secret that signs its messages. The text is shown this once. */
export interface WebhookWithSecret {
  readonly webhook: ShownWebhook;
  /** Null where an earlier answer showed it. */
  readonly secret: string | null;
}

/** The webhooks that one principal may have in a workspace (decision 0230). */
export const maxOwnWebhooks = 20;

/** Newer than all deliveries. */
export const afterAllDeliveries = Number.MAX_SAFE_INTEGER;

/** A webhook with names in place of ids. */
export function showWebhook({ principals, webhooks }: Tables, webhook: Webhook): ShownWebhook {
  const { owner, position: _, generation: __, ...shown } = webhook;
  const { kind = 'person', displayName = owner } = principals.find(owner) ?? {};
  return {
    ...shown,
    owner: { id: owner, kind, displayName },
    lastDelivery: webhooks.deliveries(webhook.id, afterAllDeliveries, 1)[0] ?? null,
  };
}

/** Whether the caller manages what looks at that place: an approver there does. */
export function mayManage({ reach }: Pick<View, 'reach'>, place: Pick<Webhook, 'location'> | undefined): boolean {
  return roleContains(reach.roleIn((place?.location ?? rootLocation) as Location), 'approver');
}

/**
 * The webhook that the caller manages. An unknown one takes the same steps as one out of reach.
 * @throws Refusal NOT_FOUND
 */
export function requireWebhook(view: Pick<View, 'tables' | 'reach'>, webhookId: string): Webhook {
  const webhook = view.tables.webhooks.byId(webhookId);
  const isManaged = mayManage(view, webhook);
  if (webhook === undefined || !isManaged) throw notFound();
  return webhook;
}

/** Whether its messages may leave: the owner is no principal who was disabled, and an approver of its location. */
export function mayBeTold({ tables, reach }: Pick<View, 'tables' | 'reach'>, webhook: Webhook): boolean {
  return tables.principals.find(webhook.owner)?.disabledAt === null && mayManage({ reach }, webhook);
}

/** What a write of one webhook keeps for a retry. Its answer is for those who manage the webhook then. */
export const storedWebhook = {
  keep: ({ id }: ShownWebhook): unknown => id,
  /** @throws Refusal NOT_FOUND */
  recall: ({ view, transaction: { tables } }: WriteContext, id: unknown): ShownWebhook =>
    showWebhook(tables, requireWebhook(view, String(id))),
};

/** The same for one whose secret was shown. The secret is not shown again. */
export const storedWithSecret = {
  keep: ({ webhook }: WebhookWithSecret): unknown => webhook.id,
  /** @throws Refusal NOT_FOUND */
  recall: (context: WriteContext, id: unknown): WebhookWithSecret => ({
    webhook: storedWebhook.recall(context, id),
    secret: null,
  }),
};
