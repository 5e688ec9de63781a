import { followGroup } from '../../view/find-readers.js';
import { readGroupReach, readReach } from '../../view/reach.js';
import type { Subject } from '../../domain/grant.js';
import { operatorId } from '../../domain/principal.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { WriteContext } from '../../changes/write-context.js';
import { sharesLocation } from '../../view/share-location.js';

/** Maximum of one message's recipients, with groups resolved. */
const maxRecipients = 1000;

/** @returns the subject of the id, whether or not it exists */
export function toSubject(id: string): Subject {
  return { type: id.startsWith('grp_') ? 'group' : 'principal', id };
}

/**
 * Whether the sender may write to it. An enabled principal must share a reached place with the sender, or have written
 * to the sender before. A group must include the sender, or hold a grant on a place in the sender's reach. A holder of
 * a claim that blocks the sender edits a document in its reach, and so is among them. An unknown id takes the same
 * steps as one out of reach.
 */
export function mayWriteTo({ transaction, caller, reach }: WriteContext, { type, id }: Subject): boolean {
  const { tables } = transaction;
  if (type === 'group') {
    const isMember = tables.groups.groupsAbove({ type: 'principal', id: caller.principalId }).includes(id);
    const isShared = sharesLocation(tables, reach, readGroupReach(tables, id));
    return tables.groups.find(id) !== undefined && (isMember || isShared);
  }
  const principal = tables.principals.find(id);
  // The operator reaches everything and shares nothing: it can get answers, but no new messages.
  const isShared = sharesLocation(tables, reach, readReach(tables, id)) && id !== operatorId;
  const hasWritten = tables.messages.hasWritten(id, caller.principalId);
  return principal !== undefined && principal.disabledAt === null && (isShared || hasWritten);
}

/** Maximum of principals and groups of one name that are looked at. */
const maxNamed = 20;

/**
 * The principal or group that a sender means, by its id or by its name. Of those with the name, only the ones to which
 * it may write count. No or one hidden bearer of the name takes the steps of an unknown id.
 * @returns undefined where there is none
 * @throws Refusal INVALID_REQUEST `bad_field` where several have the name, with their ids
 */
export function findAddressee(context: WriteContext, text: string): Subject | undefined {
  const { principals, groups } = context.transaction.tables;
  const name = text.trim().normalize('NFC');
  const isId = principals.find(text) !== undefined || groups.find(text) !== undefined;
  const bearers = isId ? [] : [...principals.named(name, maxNamed), ...groups.named(name, maxNamed)];
  const [meant, ...others] = (bearers.length === 0 ? [text] : bearers)
    .map(toSubject)
    .filter((each) => mayWriteTo(context, each));
  if (others.length === 0 || meant === undefined) return meant;
  const ids = [meant, ...others].map(({ id }) => id).join(', ');
  throw invalidRequest('bad_field', `Several have the name "${name}": ${ids}. Name one by its id.`, { field: 'to' });
}

/**
 * The recipients of a message: the named principals, and all present members of the groups, at any depth. Disabled
 * principals get nothing, and senders get no message of their own by a group.
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
