import { parseFolderLocation } from '../../domain/location.js';
import {
  changeWebhook,
  removeWebhook,
  replayDeliveries,
  rotateWebhookSecret,
  type WebhookInput,
} from '../../operations/webhooks/change-webhook.js';
import { createWebhook } from '../../operations/webhooks/create-webhook.js';
import type { ShownWebhook } from '../../operations/webhooks/find-webhook.js';
import { listDeliveries, listWebhooks, readWebhook } from '../../operations/webhooks/list-webhooks.js';
import { testWebhook } from '../../operations/webhooks/test-webhook.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import { jsonOf, type CheckedRequest } from '../requests/checked-request.js';
import { jsonPost, route, type Route } from '../route.js';
import { presentPage, readPage } from './page-query.js';
import { readFolder } from './read-location.js';
import { toDeliveryRecord, toSentRecord, toWebhookRecord, toWebhookWithSecret } from '../../records/webhook-record.js';

const readId = ({ pathId }: CheckedRequest): WebhookInput => ({ webhookId: pathId });

const answerWebhook = (webhook: ShownWebhook): Answer => answerJson(200, toWebhookRecord(webhook));

/** Webhooks: addresses that are sent what changes. */
export const webhookRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/webhooks',
    operation: listWebhooks,
    read: (request) => ({ location: readFolder(request), ...readPage(request) }),
    present: presentPage(toWebhookRecord),
  }),
  route({
    ...jsonPost,
    path: '/webhooks',
    operation: createWebhook,
    read(request) {
      const { name, url, location = '', kinds = null } = jsonOf(request);
      return { name, url, location: parseFolderLocation(location), kinds };
    },
    present: (created) =>
      answerJson(201, toWebhookWithSecret(created), { Location: `/webhooks/${created.webhook.id}` }),
  }),
  route({ method: 'GET', path: '/webhooks/{id}', operation: readWebhook, read: readId, present: answerWebhook }),
  route({
    method: 'PATCH',
    path: '/webhooks/{id}',
    takes: ['json'],
    operation: changeWebhook,
    read(request) {
      const { name, url, kinds, enabled } = jsonOf(request);
      return { ...readId(request), name, url, kinds, enabled };
    },
    present: answerWebhook,
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/{id}',
    operation: removeWebhook,
    read: readId,
    present: ({ webhookId }) => answerJson(200, { removed: true, id: webhookId }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/{id}/rotations',
    requires: 'Idempotency-Key',
    operation: rotateWebhookSecret,
    read: (request) => ({ ...readId(request), isAtOnce: request.query.now }),
    present: (rotated) => answerJson(200, toWebhookWithSecret(rotated)),
  }),
  route({
    method: 'POST',
    path: '/webhooks/{id}/tests',
    requires: 'Idempotency-Key',
    operation: testWebhook,
    read: readId,
    present: (sent) => answerJson(200, toSentRecord(sent)),
  }),
  route({
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    operation: listDeliveries,
    read: (request) => ({ ...readId(request), ...readPage(request) }),
    present: presentPage(toDeliveryRecord),
  }),
  route({
    ...jsonPost,
    path: '/webhooks/{id}/replays',
    operation: replayDeliveries,
    read: (request) => ({ ...readId(request), delivery: jsonOf(request).delivery }),
    present: (webhook) => answerJson(202, toWebhookRecord(webhook)),
  }),
];
