import type { Caller } from '../../domain/caller.js';
import { formatTime } from '../../domain/clock.js';
import { conflict, invalidRequest, notFound, Refusal } from '../../domain/refusal.js';
import { isSecurityKind, type Webhook } from '../../domain/webhook.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Workspace } from '../../workspace/workspace.js';
import { readReach } from '../../view/reach.js';
import type { WriteOperation } from '../operation.js';
import { parseDisplayName } from '../principals/parse-name.js';
import { hostOf, requireKinds, requireUrl } from './create-webhook.js';
import { positionOfNow } from './position-of-now.js';
import {
  mayBeTold,
  requireWebhook,
  showWebhook,
  storedWebhook,
  storedWithSecret,
  type ShownWebhook,
  type WebhookWithSecret,
} from './find-webhook.js';
import { makeSigningSecret, type SigningSecret } from './signing-secret.js';
import { principalSourceOf } from '../../limits/work-limits.js';
import { ArchiveUnreadable } from '../../audit/read-archive.js';
import { Rests } from '../../scheduling/rests.js';
import { findNext } from './find-next.js';
import { ownerOf } from './note-delivery.js';

export interface WebhookInput {
  readonly webhookId: string;
}

export interface ChangeWebhookInput extends WebhookInput {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  /** Null for every change of a document. */
  readonly kinds?: Webhook['kinds'] | undefined;
  /** Enabling goes on where it stopped, at once. */
  readonly enabled?: boolean | undefined;
}

interface PreparedChange {
  readonly name: string | undefined;
  readonly url: string | undefined;
  /** How far its former kinds have sent everything; undefined where the kinds stay. */
  readonly passed: { readonly from: string; readonly reached: string } | undefined;
}

/**
 * Changes a webhook's name, address or kinds, and disables or enables it. Other kinds go out from the first message on
 * that the former ones left unsent, or from now on: what those passed over is not sent later. Approver of its folder.
 * @throws Refusal NOT_FOUND; INVALID_REQUEST `bad_field`; CONFLICT `webhook_state`
 */
export const changeWebhook: WriteOperation<ChangeWebhookInput, ShownWebhook, PreparedChange> = {
  kind: 'write',
  name: 'webhook.change',
  needs: () => [],
  note: ({ webhookId, name, url, kinds, enabled }) => ({
    target: webhookId,
    detail: {
      name: name !== undefined,
      ...(url !== undefined && { host: hostOf(url) }),
      ...(kinds !== undefined && { kinds }),
      ...(enabled !== undefined && { enabled }),
    },
  }),
  async prepare({ workspace, view }, { webhookId, name, url, kinds }) {
    const webhook = requireWebhook(view, webhookId);
    if (url !== undefined) requireUrl(url);
    return {
      name: name === undefined ? undefined : parseDisplayName(name),
      url: url === undefined ? undefined : await workspace.webhooks.sender.parse(url),
      passed: kinds === undefined || isSameKinds(kinds, webhook.kinds) ? undefined : await pass(workspace, webhook),
    };
  },
  isOvertaken: ({ transaction: { tables } }, { webhookId }, { passed }) =>
    passed !== undefined && tables.webhooks.byId(webhookId)?.position !== passed.from,
  run(context, { webhookId, kinds, enabled }, { name, url, passed }) {
    const { tables } = context.transaction;
    const webhook = requireWebhook(context.view, webhookId);
    if (name !== undefined) tables.webhooks.rename(webhookId, name);
    if (kinds !== undefined) {
      requireKinds(kinds, webhook.location);
      requireSameLog(webhook, kinds);
      const isPassed = passed?.from === webhook.position;
      tables.webhooks.setKinds(webhookId, kinds, isPassed ? passed.reached : webhook.position);
    }
    if (url !== undefined) {
      requireOwner(context.caller, webhook);
      tables.webhooks.setUrl(webhookId, url);
    }
    if (enabled === false && webhook.stopped === null) tables.webhooks.stop(webhookId, 'by_hand');
    if (enabled === true) enable(context, webhook);
    return showWebhook(tables, requireWebhook(context.view, webhookId));
  },
  stored: storedWebhook,
  finish: ({ webhooks }, { webhookId }) => webhooks.wake(webhookId),
};

async function pass(workspace: Workspace, webhook: Webhook): Promise<PreparedChange['passed']> {
  const reached = await passOver(workspace, webhook);
  return { from: webhook.position, reached: reached ?? webhook.position };
}

function isSameKinds(a: Webhook['kinds'], b: Webhook['kinds']): boolean {
  return JSON.stringify(a?.toSorted() ?? null) === JSON.stringify(b?.toSorted() ?? null);
}

/**
 * What it tells is made from its owner's past, with names of places that others never could read. Whoever else manages
 * it may not send that elsewhere, nor again. The operator has the files anyway.
 * @throws Refusal CONFLICT `webhook_state`
 */
function requireOwner({ principalId, kind }: Caller, { owner }: Webhook): void {
  if (principalId === owner || kind === 'operator') return;
  const message = 'It tells what its owner may read, so only its owner can give it another address or replay it.';
  throw conflict('webhook_state', `${message} Make a webhook of your own.`);
}

/** Its place in one log says nothing about the other. */
function requireSameLog(webhook: Webhook, kinds: Webhook['kinds']): void {
  const isSecurity = (some: Webhook['kinds']): boolean => some?.some(isSecurityKind) === true;
  if (isSecurity(webhook.kinds) === isSecurity(kinds)) return;
  throw invalidRequest('bad_field', 'Make another webhook for it: this one follows another log.', { field: 'kinds' });
}

function enable({ transaction: { tables }, view }: WriteContext, webhook: Webhook): void {
  if (!mayBeTold({ tables, reach: readReach(tables, webhook.owner) }, webhook)) {
    const message = 'Its owner is disabled, or no approver of its location any more. Make a webhook of your own.';
    throw conflict('webhook_state', message);
  }
  if (webhook.stopped === 'position_lost') tables.webhooks.setPosition(webhook.id, positionOfNow(view, webhook.kinds));
  tables.webhooks.enable(webhook.id);
}

/** Milliseconds for which the former secret signs, too. */
export const overlap = 24 * 60 * 60_000;

export interface RotateSecretInput extends WebhookInput {
  /** Whether the present secret, and the one before it, end now. */
  readonly isAtOnce: boolean;
}

/**
 * Makes a new secret, shown this once. For a day both sign every message, unless the former ones are to end at once.
 * Approver of its folder.
 * @throws Refusal NOT_FOUND; CONFLICT `webhook_state` while two sign; UNAVAILABLE where no secret can be sealed
 */
export const rotateWebhookSecret: WriteOperation<RotateSecretInput, WebhookWithSecret, SigningSecret> = {
  kind: 'write',
  name: 'webhook.rotate_secret',
  needs: () => [],
  note: ({ webhookId, isAtOnce }) => ({ target: webhookId, detail: { at_once: isAtOnce } }),
  async prepare({ workspace, view }, { webhookId }) {
    requireWebhook(view, webhookId);
    return makeSigningSecret(workspace, webhookId);
  },
  run({ transaction: { tables, now }, view }, { webhookId, isAtOnce }, { text, sealed }) {
    const { stopped, rotatingUntil } = requireWebhook(view, webhookId);
    // A secret that cannot be opened signs nothing.
    const isWithoutOverlap = isAtOnce || stopped === 'secret_lost';
    if (!isWithoutOverlap && rotatingUntil !== null && now < rotatingUntil) throw twoSign(rotatingUntil);
    tables.webhooks.rotate(webhookId, sealed, isWithoutOverlap ? null : now + overlap);
    return { webhook: showWebhook(tables, requireWebhook(view, webhookId)), secret: text };
  },
  stored: storedWithSecret,
};

/** A receiver that still has the first secret was promised a day. */
const twoSign = (until: number): Error =>
  conflict(
    'webhook_state',
    `Two secrets sign its messages until ${formatTime(until)}. Rotate it after that, or with now (--now): then only the new secret signs, at once.`,
  );

/** Removes a webhook with its secrets and deliveries. A delivery under way may still arrive. Approver of its folder. */
export const removeWebhook: WriteOperation<WebhookInput, WebhookInput> = {
  kind: 'write',
  name: 'webhook.remove',
  worksWhenLow: true,
  needs: () => [],
  note: ({ webhookId }) => ({ target: webhookId }),
  run({ transaction: { tables }, view }, { webhookId }) {
    requireWebhook(view, webhookId);
    tables.webhooks.remove(webhookId);
    return { webhookId };
  },
  finish: ({ webhooks }, { webhookId }) => webhooks.wake(webhookId),
};

export interface ReplayInput extends WebhookInput {
  /** The number of a delivery. */
  readonly delivery: number;
}

/**
 * Sends again what a delivery sent, and everything after it, in order and under the same ids. What the owner reaches no
 * more by now is left out. Approver of its folder.
 * @throws Refusal NOT_FOUND, also for a delivery that is not kept any more
 */
export const replayDeliveries: WriteOperation<ReplayInput, ShownWebhook> = {
  kind: 'write',
  name: 'webhook.replay',
  needs: () => [],
  note: ({ webhookId, delivery }) => ({ target: webhookId, detail: { delivery } }),
  run({ transaction: { tables }, caller, view }, { webhookId, delivery }) {
    requireOwner(caller, requireWebhook(view, webhookId));
    const position = tables.webhooks.positionBefore(webhookId, delivery);
    if (position === undefined) throw notFound();
    tables.webhooks.rewind(webhookId, position);
    return showWebhook(tables, requireWebhook(view, webhookId));
  },
  stored: storedWebhook,
  finish: ({ webhooks }, { webhookId }) => webhooks.wake(webhookId),
};

/**
 * Looks from a webhook's position on for what it has to tell by its present kinds.
 * @returns the position of that message, or of now; undefined where the position leads nowhere any more
 */
async function passOver(workspace: Workspace, webhook: Webhook): Promise<string | undefined> {
  const kind = workspace.journal.reader.principals.find(webhook.owner)?.kind ?? 'person';
  const owner = ownerOf(webhook, kind, workspace.randomness);
  const release = await workspace.workLimits.feeds.take(principalSourceOf(workspace.name, owner));
  try {
    const rests = new Rests();
    for (let position = webhook.position; ;) {
      if (rests.isDue) await rests.take();
      const found = await findNext(workspace, owner, webhook, position);
      if (!('isCurrent' in found)) return found.before;
      if (found.isCurrent) return found.next;
      position = found.next;
    }
  } catch (error) {
    const isLost = error instanceof Refusal && error.details?.reason === 'bad_cursor';
    if (isLost || error instanceof ArchiveUnreadable) return undefined;
    throw error;
  } finally {
    release();
  }
}
