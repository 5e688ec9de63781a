import { isWithin, type Location } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { WebhookDelivery } from '../../domain/webhook.js';
import type { ReadOperation } from '../operation.js';
import type { WebhookInput } from './change-webhook.js';
import {
  afterAllDeliveries,
  maxWebhooks,
  mayManage,
  requireWebhook,
  showWebhook,
  type ShownWebhook,
} from './find-webhook.js';

export interface ListWebhooksInput {
  /** A folder; the root for all. */
  readonly location: Location;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** The webhooks that the caller manages, at a folder and below, by id. */
export const listWebhooks: ReadOperation<ListWebhooksInput, Page<ShownWebhook>> = {
  kind: 'read',
  name: 'webhook.list',
  needs: () => [],
  note: ({ location }) => ({ target: location }),
  run({ view }, { location, after, limit }) {
    // The places alone: what the caller does not manage is not read.
    const managed = view.tables.webhooks
      .places(after, maxWebhooks)
      .filter((place) => isWithin(location, place.location as Location) && mayManage(view, place));
    const { items, next } = makePage(managed.slice(0, limit + 1), limit, ({ id }) => id);
    return { items: items.map(({ id }) => showWebhook(view.tables, requireWebhook(view, id))), next };
  },
};

/** One webhook. Approver of its folder. */
export const readWebhook: ReadOperation<WebhookInput, ShownWebhook> = {
  kind: 'read',
  name: 'webhook.show',
  needs: () => [],
  note: ({ webhookId }) => ({ target: webhookId }),
  run: ({ view }, { webhookId }) => showWebhook(view.tables, requireWebhook(view, webhookId)),
};

export interface ListDeliveriesInput extends WebhookInput {
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** The last attempts of a webhook, the newest first. Approver of its folder. */
export const listDeliveries: ReadOperation<ListDeliveriesInput, Page<WebhookDelivery>> = {
  kind: 'read',
  name: 'webhook.list_deliveries',
  needs: () => [],
  note: ({ webhookId }) => ({ target: webhookId }),
  run({ view }, { webhookId, after, limit }) {
    const { id } = requireWebhook(view, webhookId);
    const below = after === '' ? afterAllDeliveries : Number(after);
    if (!Number.isSafeInteger(below)) {
      const message = 'The cursor is not one for this query. Start again without it.';
      throw invalidRequest('bad_cursor', message, { field: 'cursor' });
    }
    return makePage(view.tables.webhooks.deliveries(id, below, limit + 1), limit, ({ number }) => String(number));
  },
};
