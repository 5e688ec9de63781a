import { followGroup } from '../../access/find-readers.js';
import { readGroupReach, readReach } from '../../access/reach.js';
import type { Subject } from '../../domain/grant.js';
import { operatorId } from '../../domain/principal.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { WriteContext } from '../../changes/write-context.js';
import { sharesLocation } from '../../view/share-location.js';

/** Principals that one message may go to, the groups it names resolved. */
const maxRecipients = 1000;

/** @returns the subject that the id would name if there were such a one */
export function toSubject(id: string): Subject {
  return { type: id.startsWith('grp_') ? 'group' : 'principal', id };
}

/**
 * Whether the sender may write to it: a principal that is not disabled, with whom it shares a place that both reach, or
 * who wrote to it before; a group that it is in, or that is granted a place which it reaches. Somebody whose claim
 * stands in its way is editor of a document that it reaches, and so among them. An id that nobody has is looked for by
 * the same steps as one that is out of reach.
 */
export function mayWriteTo({ transaction, caller, reach }: WriteContext, { type, id }: Subject): boolean {
  const { tables } = transaction;
  if (type === 'group') {
    const isMember = tables.groups.groupsAbove({ type: 'principal', id: caller.principalId }).includes(id);
    const isShared = sharesLocation(tables, reach, readGroupReach(tables, id));
    return tables.groups.find(id) !== undefined && (isMember || isShared);
  }
  const principal = tables.principals.find(id);
  // The operator reaches everything and shares nothing: it is answered, not addressed.
  const isShared = sharesLocation(tables, reach, readReach(tables, id)) && id !== operatorId;
  const hasWritten = tables.messages.hasWritten(id, caller.principalId);
  return principal !== undefined && principal.disabledAt === null && (isShared || hasWritten);
}

/**
 * Who gets a message that is addressed to these: principals as named, and everyone who is in one of the groups now, at
 * any depth. Those who are disabled get nothing, and nobody gets by a group what it sent itself.
 * @throws Refusal INVALID_REQUEST `too_many_recipients`
 */
export function resolveRecipients({ transaction, caller }: WriteContext, subjects: readonly Subject[]): Set<string> {
  const { tables } = transaction;
  const named = new Set<string>();
  for (const { type, id } of subjects) {
    if (type === 'principal') named.add(id);
    else for (const member of followGroup(tables, id).keys()) if (member !== caller.principalId) named.add(member);
  }
  const recipients = new Set([...named].filter((id) => tables.principals.find(id)?.disabledAt === null));
  if (recipients.size > maxRecipients) {
    throw invalidRequest('too_many_recipients', `A message goes to at most ${maxRecipients} people and agents.`, {
      field: 'to',
    });
  }
  return recipients;
}
