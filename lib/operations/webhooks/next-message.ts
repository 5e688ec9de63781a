import { createHash } from 'node:crypto';
import type { Caller } from '../../domain/caller.js';
import type { Change, ChangeKind } from '../../domain/change.js';
import { formatTime } from '../../domain/clock.js';
import { formatEtag } from '../../domain/etag.js';
import type { Location } from '../../domain/location.js';
import { isSecurityKind, type Webhook } from '../../domain/webhook.js';
import { readFeed } from '../../feed/read-feed.js';
import type { Workspace } from '../../workspace/workspace.js';
import { findSecurityEvent, isSecurityAction } from './security-events.js';
import { securityLogOf } from './security-log.js';

/** What a webhook has to tell next. */
export interface NextMessage {
  /** The `webhook-id`: the same whenever the same change is told to the same webhook. */
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
  if (webhook.kinds?.some(isSecurityKind) === true) return makeSecurityMessage(workspace, webhook, position);
  const page = await readFeed(
    { principalId: owner.principalId, view: () => workspace.view(owner) },
    {
      location: webhook.location as Location,
      isCarried: true,
      kinds: webhook.kinds === null ? null : new Set(webhook.kinds as readonly ChangeKind[]),
      after: position,
      limit: 1,
    },
  );
  const [item] = page.items;
  if (item === undefined) return { next: page.next, isCurrent: page.isCurrent };
  return {
    id: messageId(webhook, item.id),
    type: `document.${item.kind}`,
    documentId: item.document.id,
    body: JSON.stringify({
      type: `document.${item.kind}`,
      timestamp: formatTime(item.at),
      data: { workspace: workspace.name, webhook: webhook.id, ...describeChange(item) },
    }),
    before: page.before ?? position,
    next: page.next,
  };
}

async function makeSecurityMessage(
  workspace: Workspace,
  webhook: Webhook,
  position: string,
): Promise<NextMessage | NoMessage> {
  const found = await findSecurityEvent(securityLogOf(workspace, isSecurityAction), webhook, position);
  if (!('type' in found)) return found;
  const { id, type, at, data, before, next } = found;
  return {
    id: messageId(webhook, id),
    type,
    documentId: null,
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
function describeChange({ id, document, version, actor }: Change): object {
  return {
    id,
    document: { ...document, etag: document.etag === null ? null : formatEtag(document.etag) },
    version,
    actor: actor === null ? null : { id: actor.id, kind: actor.kind, display_name: actor.displayName },
  };
}
