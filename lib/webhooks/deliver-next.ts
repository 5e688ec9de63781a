import { ArchiveUnreadable } from '../audit/read-archive.js';
import type { Caller } from '../domain/caller.js';
import { Refusal } from '../domain/refusal.js';
import type { Webhook, WebhookStop } from '../domain/webhook.js';
import { SecretLost } from '../operations/connectors/seal-secret.js';
import { perform } from '../operations/perform.js';
import { mayBeTold } from '../operations/webhooks/find-webhook.js';
import { noteDelivery, ownerOf, stopWebhook } from '../operations/webhooks/note-delivery.js';
import { notePassed } from '../operations/webhooks/note-passed.js';
import { openSigningSecrets } from '../operations/webhooks/signing-secret.js';
import type { Workspace } from '../workspace/workspace.js';
import { isMessage, makeNextMessage, type NextMessage, type NoMessage } from './next-message.js';
import type { SentIds } from './sent-ids.js';

/** How far a webhook has come. */
export interface Delivered {
  /** The position up to which there was nothing to tell; null where the stored one says it. */
  readonly reached: string | null;
  /** Whether there is nothing more to do for it now. */
  readonly isCurrent: boolean;
}

/** One look for a message, and what becomes of it. */
export interface Attempt {
  readonly signal: AbortSignal;
  /** Ids of messages that are not sent again. */
  readonly sentIds: SentIds;
  /** Called with the document of the message, just before it is sent; null for none. */
  readonly tell: (documentId: string | null) => void;
}

const goesOn: Delivered = { reached: null, isCurrent: false };
const isOver: Delivered = { reached: null, isCurrent: true };

/**
 * Delivers one message of a webhook, if there is one and its owner may still get it. What became of it is durable when
 * this resolves; after a crash before that, the same message is sent again under the same id.
 * @param position from which to look on
 * @param attempt ends it; then nothing is noted
 * @throws Refusal when it cannot be noted
 */
export async function deliverNext(
  workspace: Workspace,
  webhook: Webhook,
  position: string,
  { signal, sentIds, tell }: Attempt,
): Promise<Delivered> {
  const { clock, randomness } = workspace;
  const kind = workspace.journal.reader.principals.find(webhook.owner)?.kind ?? 'person';
  const owner = ownerOf(webhook, kind, randomness);
  const stop = async (why: WebhookStop): Promise<Delivered> => {
    await perform(workspace, owner, stopWebhook, { webhook, why });
    return isOver;
  };
  if (!isStillTold(workspace, owner, webhook)) return stop('owner');
  const found = await findMessage(workspace, owner, webhook, position);
  // While the feed was read, its folder may have moved, or an approver may have chosen other kinds.
  const present = workspace.journal.reader.webhooks.byId(webhook.id);
  if (present === undefined) return isOver;
  if (present.location !== webhook.location || present.generation !== webhook.generation) return goesOn;
  if (found === undefined) return stop('position_lost');
  if (!isMessage(found)) {
    const { next: reached, isCurrent } = found;
    if (isCurrent && webhook.failures > 0) await notePassed(workspace, [{ webhook, reached, endsFailures: true }]);
    return { reached, isCurrent };
  }
  if (sentIds.has(webhook, found.id)) return { reached: found.next, isCurrent: false };
  // Rights may have changed while it was made. From here to the connection, nothing waits.
  if (signal.aborted) return isOver;
  if (!isStillTold(workspace, owner, webhook)) return stop('owner');
  let secrets: string[];
  try {
    secrets = openSigningSecrets(workspace, webhook.id);
  } catch (error) {
    if (error instanceof SecretLost) return stop('secret_lost');
    throw error;
  }
  const { id: messageId, type, documentId, body, before, next } = found;
  const at = clock.now();
  tell(documentId);
  const sent = await workspace.webhooks.sender.send({ url: webhook.url, id: messageId, secrets, body }, signal);
  if (signal.aborted && sent.outcome !== 'delivered') return isOver;
  const noted = { webhook, messageId, type, documentId, at, sent, before, next };
  try {
    await perform(workspace, owner, noteDelivery, noted);
  } catch (error) {
    // It was removed meanwhile.
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return isOver;
    throw error;
  }
  if (sent.outcome === 'delivered') sentIds.add(webhook, messageId);
  return goesOn;
}

function isStillTold(workspace: Workspace, owner: Caller, webhook: Webhook): boolean {
  const { tables, reach } = workspace.view(owner);
  return mayBeTold({ tables, reach }, webhook);
}

/** @returns undefined when the position is of another file, or what comes next cannot be read */
async function findMessage(
  workspace: Workspace,
  owner: Caller,
  webhook: Webhook,
  position: string,
): Promise<NextMessage | NoMessage | undefined> {
  try {
    return await makeNextMessage(workspace, owner, webhook, position);
  } catch (error) {
    if (error instanceof Refusal && error.details?.reason === 'bad_cursor') return undefined;
    if (error instanceof ArchiveUnreadable) {
      // What it would leave out cannot be sent, so it stops and says so.
      workspace.onFault('A webhook for security cannot go on', error);
      return undefined;
    }
    throw error;
  }
}
