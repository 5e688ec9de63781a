import type { Caller } from '../../domain/caller.js';
import type { Change, ChangeKind } from '../../domain/change.js';
import type { Location } from '../../domain/location.js';
import { isSecurityKind, type Webhook } from '../../domain/webhook.js';
import { readFeed } from '../../feed/read-feed.js';
import type { Workspace } from '../../workspace/workspace.js';
import { findSecurityEvent, isSecurityAction, type FoundEvent, type NoEvent } from './security-events.js';
import { securityLogOf } from './security-log.js';

/** A change that a webhook has to tell. */
export interface NextChange {
  readonly change: Change;
  /** The positions just before it, and behind it. */
  readonly before: string;
  readonly next: string;
}

/**
 * Finds what a webhook has to tell next, in its owner's feed by the rights of this moment, or in the audit log.
 * @param position from which to look
 * @returns NoEvent where it came so far without finding anything
 * @throws Refusal INVALID_REQUEST `bad_cursor` when the position is of another file
 * @throws ArchiveUnreadable when security records that come next are not readable any more
 */
export async function findNext(
  workspace: Workspace,
  owner: Caller,
  webhook: Webhook,
  position: string,
): Promise<NextChange | FoundEvent | NoEvent> {
  if (webhook.kinds?.some(isSecurityKind) === true) {
    return findSecurityEvent(securityLogOf(workspace, isSecurityAction), webhook, position);
  }
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
  const { next, isCurrent, before = position } = page;
  const [change] = page.items;
  return change === undefined ? { next, isCurrent } : { change, before, next };
}
