import { toDeliveryRecord, toSentRecord, toWebhookRecord, toWebhookWithSecret } from '../records/webhook-record.js';
import { rootLocation } from '../domain/location.js';
import type { Page } from '../domain/page.js';
import { notFound } from '../domain/refusal.js';
import { webhookKinds, type Webhook, type WebhookKind } from '../domain/webhook.js';
import {
  changeWebhook,
  removeWebhook,
  replayDeliveries,
  rotateWebhookSecret,
} from '../operations/webhooks/change-webhook.js';
import { createWebhook, hostOf } from '../operations/webhooks/create-webhook.js';
import type { ShownWebhook } from '../operations/webhooks/find-webhook.js';
import { listDeliveries, listWebhooks, readWebhook } from '../operations/webhooks/list-webhooks.js';
import { testWebhook } from '../operations/webhooks/test-webhook.js';
import { inWorkspace, type Command, type WorkspaceContext } from './command.js';
import { badField, parseCount, type Fields } from './fields.js';
import { listPages, readPages, type AskedPage } from './read-pages.js';

const noWebhook = 'There is no such webhook. `cartulary webhook list` shows those there are.';
const idOfWebhook = /^whk_[0-9a-z]+$/;

const pagesOf =
  ({ perform }: WorkspaceContext, location = rootLocation) =>
  (page: AskedPage): Promise<Page<ShownWebhook>> =>
    perform(listWebhooks, { location, ...page });

/** A webhook by its id or its name. @throws Refusal NOT_FOUND; INVALID_REQUEST `bad_field` */
async function readId(context: WorkspaceContext, fields: Fields): Promise<string> {
  const text = fields.text('webhook');
  if (idOfWebhook.test(text)) return text;
  const found = (await readPages(pagesOf(context))).filter(({ name }) => name === text);
  if (found.length > 1) throw badField('webhook', `names several: ${found.map(({ id }) => id).join(', ')}`);
  if (found[0] === undefined) throw notFound();
  return found[0].id;
}

/** @throws Refusal INVALID_REQUEST `bad_field` */
function readKinds(fields: Fields): Webhook['kinds'] | undefined {
  const text = fields.optionalText('kinds');
  if (text === undefined) return undefined;
  if (text === 'all') return null;
  const names = new Set(text.split(',').map((name) => name.trim()));
  return [...names].map((name): WebhookKind => {
    const kind = webhookKinds.find((each) => each === name);
    if (kind === undefined) throw badField('kinds', `has no "${name}". There are: ${webhookKinds.join(', ')}`);
    return kind;
  });
}

const change = (input: { readonly enabled: boolean }): Command =>
  inWorkspace(
    async (context, fields) =>
      toWebhookRecord(await context.perform(changeWebhook, { webhookId: await readId(context, fields), ...input })),
    noWebhook,
  );

export const webhookCommands: Readonly<Record<string, Command>> = {
  'webhook.add': inWorkspace(async ({ perform }, fields) => {
    const url = fields.text('url');
    const name = fields.optionalText('name') ?? (hostOf(url) || 'Webhook');
    const location = fields.folderOrRoot('location');
    return toWebhookWithSecret(await perform(createWebhook, { name, url, location, kinds: readKinds(fields) ?? null }));
  }, 'There is no such folder.'),
  'webhook.list': inWorkspace((context, fields) =>
    listPages(pagesOf(context, fields.folderOrRoot('location')), toWebhookRecord),
  ),
  'webhook.show': inWorkspace(
    async (context, fields) =>
      toWebhookRecord(await context.perform(readWebhook, { webhookId: await readId(context, fields) })),
    noWebhook,
  ),
  'webhook.change': inWorkspace(async (context, fields) => {
    const webhookId = await readId(context, fields);
    const [name, url, kinds] = [fields.optionalText('name'), fields.optionalText('url'), readKinds(fields)];
    return toWebhookRecord(await context.perform(changeWebhook, { webhookId, name, url, kinds }));
  }, noWebhook),
  'webhook.enable': change({ enabled: true }),
  'webhook.disable': change({ enabled: false }),
  'webhook.test': inWorkspace(
    async (context, fields) =>
      toSentRecord(await context.perform(testWebhook, { webhookId: await readId(context, fields) })),
    noWebhook,
  ),
  'webhook.rotate': inWorkspace(async (context, fields) => {
    const input = { webhookId: await readId(context, fields), isAtOnce: fields.flag('now') };
    return toWebhookWithSecret(await context.perform(rotateWebhookSecret, input));
  }, noWebhook),
  'webhook.remove': inWorkspace(async (context, fields) => {
    const { webhookId } = await context.perform(removeWebhook, { webhookId: await readId(context, fields) });
    return { removed: true, id: webhookId };
  }, noWebhook),
  'webhook.deliveries': inWorkspace(async (context, fields) => {
    const webhookId = await readId(context, fields);
    return listPages((page) => context.perform(listDeliveries, { webhookId, ...page }), toDeliveryRecord);
  }, noWebhook),
  'webhook.replay': inWorkspace(async (context, fields) => {
    const delivery = parseCount('delivery', fields.text('delivery'));
    return toWebhookRecord(
      await context.perform(replayDeliveries, { webhookId: await readId(context, fields), delivery }),
    );
  }, 'There is no such webhook, or its delivery is not kept any more.'),
};
