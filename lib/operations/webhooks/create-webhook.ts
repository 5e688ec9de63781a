import type { Location } from '../../domain/location.js';
import { makeIdentifier } from '../../domain/identifier.js';
import { invalidRequest, notFound } from '../../domain/refusal.js';
import { isSecurityKind, type Webhook, type WebhookKind } from '../../domain/webhook.js';
import { findFolder } from '../../view/locate.js';
import type { WriteOperation } from '../operation.js';
import { parseDisplayName } from '../principals/parse-name.js';
import { requireVisible } from '../require-visible.js';
import { positionOfNow } from './position-of-now.js';
import { maxOwnWebhooks, showWebhook, storedWithSecret, type WebhookWithSecret } from './find-webhook.js';
import { makeSigningSecret, type SigningSecret } from './signing-secret.js';

export interface CreateWebhookInput {
  readonly name: string;
  readonly url: string;
  /** A folder, with all below. */
  readonly location: Location;
  /** Null for every change of a document. */
  readonly kinds: readonly WebhookKind[] | null;
}

interface PreparedWebhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly secret: SigningSecret;
}

/** Characters of an address. */
const maxUrlLength = 2000;

/** For the log and for people: the address without what can be a secret in it. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

/** @throws Refusal INVALID_REQUEST `bad_field` */
export function requireUrl(url: string): void {
  if (url.length > maxUrlLength) {
    throw invalidRequest('bad_field', `The url has at most ${maxUrlLength} characters.`, { field: 'url' });
  }
  requireVisible(url, { field: 'url' });
}

/**
 * Kinds of changes, or kinds of security at the root: the two come from different logs.
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
export function requireKinds(kinds: Webhook['kinds'], location: string): void {
  if (kinds === null) return;
  const secure = kinds.filter(isSecurityKind).length;
  const bad = (message: string) => invalidRequest('bad_field', message, { field: 'kinds' });
  if (kinds.length === 0) throw bad('Name at least one kind, or leave the kinds out for every change.');
  if (secure > 0 && secure < kinds.length) throw bad('A webhook sends changes or security events, not both. Make two.');
  if (secure > 0 && location !== '')
    throw bad('Security events are sent for the whole workspace only. Leave the location out.');
}

/**
 * Makes a webhook: an address that is sent what changes at a folder and below, as far as the caller reaches it at that
 * time. The secret is shown this once. Approver of the folder.
 * @throws Refusal NOT_FOUND; INVALID_REQUEST `bad_field`, `too_many_webhooks`; UNAVAILABLE where no secret can be sealed
 */
export const createWebhook: WriteOperation<CreateWebhookInput, WebhookWithSecret, PreparedWebhook> = {
  kind: 'write',
  name: 'webhook.create',
  needs: ({ location }) => [{ role: 'approver', location, folder: true }],
  note: ({ location, url, kinds }) => ({ target: location, detail: { host: hostOf(url), kinds } }),
  async prepare({ workspace }, { name, url, kinds, location }) {
    const displayName = parseDisplayName(name);
    requireUrl(url);
    requireKinds(kinds, location);
    const id = makeIdentifier('whk', workspace.randomness);
    const parsed = await workspace.webhooks.sender.parse(url);
    return { id, name: displayName, url: parsed, secret: makeSigningSecret(workspace, id) };
  },
  run({ transaction: { tables, now }, author, view }, { location, kinds }, { id, name, url, secret }) {
    if (location !== '' && findFolder(tables, location) === undefined) throw notFound();
    requireRoom(tables.webhooks.countOf(author.id));
    const position = positionOfNow(view, kinds);
    const { sealed } = secret;
    tables.webhooks.insert({
      id,
      name,
      owner: author.id,
      location,
      url,
      kinds,
      secret: sealed,
      position,
      createdAt: now,
    });
    return { webhook: showWebhook(tables, tables.webhooks.byId(id) as Webhook), secret: secret.text };
  },
  noteResult: ({ webhook }) => ({ detail: { id: webhook.id, host: hostOf(webhook.url), kinds: webhook.kinds } }),
  finish: ({ webhooks }) => webhooks.wake(),
  stored: storedWithSecret,
};

/** It counts the caller's own alone: a limit of the workspace would tell how many others have. */
function requireRoom(count: number): void {
  if (count < maxOwnWebhooks) return;
  const message = `You have ${maxOwnWebhooks} webhooks, which is the most. Remove one that is not needed.`;
  throw invalidRequest('too_many_webhooks', message, { limit: maxOwnWebhooks });
}
