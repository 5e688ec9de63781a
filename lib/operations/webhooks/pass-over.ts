import { principalSourceOf } from '../../limits/work-limits.js';
import { ArchiveUnreadable } from '../../audit/read-archive.js';
import { Refusal } from '../../domain/refusal.js';
import type { Webhook } from '../../domain/webhook.js';
import { Rests } from '../../scheduling/rests.js';
import type { Workspace } from '../../workspace/workspace.js';
import { findNext } from './find-next.js';
import { ownerOf } from './note-delivery.js';

/**
 * Looks from a webhook's position on for what it has to tell by its present kinds.
 * @returns the position of that message, or of now; undefined where the position leads nowhere any more
 */
export async function passOver(workspace: Workspace, webhook: Webhook): Promise<string | undefined> {
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
