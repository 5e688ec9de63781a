import { createHash } from 'node:crypto';
import type { Caller } from '../domain/caller.js';
import type { Change } from '../domain/change.js';
import { formatTime } from '../domain/clock.js';
import { toChangeRecord } from '../records/change-record.js';
import type { Webhook } from '../domain/webhook.js';
import { findNext } from '../operations/webhooks/find-next.js';
import type { FoundEvent } from '../operations/webhooks/security-events.js';
import type { Workspace } from '../workspace/workspace.js';

/** What a webhook has to tell next. */
export interface NextMessage {
  /** The `webhook-id`: the same whenever the same change is sent by the same webhook. */
  readonly id: string;
  readonly type: string;
  /** Null for a message about no document. */
  readonly documentId: string | null;
  /** JSON. */
  readonly body: string;
  /** The position just before it. */
  readonly before: string;
  /** The position behind it. */
  readonly next: string;
}

/** Nothing to tell from there on, at present. */
export interface NoMessage {
  readonly next: string;
  /** Whether that is everything up to now. */
  readonly isCurrent: boolean;
}

export const isMessage = (found: NextMessage | NoMessage): found is NextMessage => 'body' in found;

/**
 * Makes the next message of a webhook from its owner's feed, by the rights of this moment. Nothing is stored of it: made
 * again from the same position, it has the same id.
 * @param position of its feed
 * @throws Refusal INVALID_REQUEST `bad_cursor` when the position is of another file
 * @throws ArchiveUnreadable when security records that come next are not readable any more
 */
export async function makeNextMessage(
  workspace: Workspace,
  owner: Caller,
  webhook: Webhook,
  position: string,
): Promise<NextMessage | NoMessage> {
  const found = await findNext(workspace, owner, webhook, position);
  if ('isCurrent' in found) return found;
  const { before, next } = found;
  const told =
    'change' in found
      ? {
          id: found.change.id,
          type: `document.${found.change.kind}`,
          at: found.change.at,
          documentId: found.change.document.id,
          data: describeChange(found.change),
        }
      : { ...found, documentId: null, data: describeEvent(found) };
  const { id, type, at, documentId, data } = told;
  return {
    id: messageId(webhook, id),
    type,
    documentId,
    body: JSON.stringify({
      type,
      timestamp: formatTime(at),
      data: { workspace: workspace.name, webhook: webhook.id, ...data },
    }),
    before,
    next,
  };
}

/** Two webhooks with one receiver tell under different ids. */
function messageId({ id }: Webhook, item: string): string {
  return `msg_${createHash('sha256').update(`${id} ${item}`).digest('base64url').slice(0, 24)}`;
}

/** Ids and places, never content: not even the writer's own message. */
function describeChange(change: Change): object {
  const { id, document, version, actor } = toChangeRecord(change);
  return { id, document, version, actor };
}

function describeEvent({ data }: FoundEvent): object {
  if (!('requestId' in data)) return data;
  const { requestId, ...rest } = data;
  return { ...rest, request_id: requestId };
}
