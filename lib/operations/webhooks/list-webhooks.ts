import { compareText, isWithin, type Location } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { WebhookDelivery } from '../../domain/webhook.js';
import type { ReadOperation } from '../operation.js';
import type { View } from '../../view/view.js';
import type { WebhookInput } from './change-webhook.js';
import { afterAllDeliveries, requireWebhook, showWebhook, type ShownWebhook } from './find-webhook.js';

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
    // Sought by place: what the caller does not manage costs nothing.
    const found = placesManaged(view, location).flatMap((place) =>
      view.tables.webhooks.idsBelow(place, after, limit + 1),
    );
    const { items, next } = makePage(found.toSorted(compareText).slice(0, limit + 1), limit, (id) => id);
    return { items: items.map((id) => showWebhook(view.tables, requireWebhook(view, id))), next };
  },
};

/** The parts of a place that the caller is an approver of, none within another. */
function placesManaged({ reach }: Pick<View, 'reach'>, place: Location): Location[] {
  if (reach.holds('approver', place)) return [place];
  const below = reach.foldersBelow(place).filter((folder) => reach.holds('approver', folder));
  return below.filter((folder) => !below.some((other) => other !== folder && isWithin(other, folder)));
}

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
