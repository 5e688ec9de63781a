import type { Subject } from '../../domain/grant.js';
import { tooManyMessages } from '../../domain/refusal.js';
import type { WriteContext } from '../../changes/write-context.js';

const hour = 60 * 60 * 1000;
/** Messages of one sender in an hour: to one addressee, and to all. */
const maxToOne = 60;
const maxToAll = 300;

/**
 * Keeps a sender from filling the box of others. Counts what the sender named as addressee. Deliveries are not counted:
 * they would reveal who is in a group.
 * @throws Refusal RATE_LIMITED
 */
export function requireRate({ transaction, caller }: WriteContext, addressed: readonly Subject[]): void {
  const { tables, now } = transaction;
  const sent = tables.messages.listSentSince(caller.principalId, now - hour, maxToAll);
  const limits = addressed.map(
    ({ id }) => sent.filter((each) => each.addressed.some((to) => to.id === id))[maxToOne - 1],
  );
  for (const oldest of [...limits, sent[maxToAll - 1]]) {
    if (oldest !== undefined) throw tooManyMessages(Math.ceil((oldest.at + hour - now) / 1000));
  }
}
