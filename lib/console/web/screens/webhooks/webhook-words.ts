import type { ChangeKind } from '../../../../domain/change.ts';
import type { BadgeTone } from '../../design/badge.tsx';
import type { Kind, Webhook } from './webhook-queries.ts';

type SecurityKind = Exclude<Kind, ChangeKind>;

/** What can be told of documents, in people's words. */
export const wordsOfChange: Readonly<Record<ChangeKind, string>> = {
  created: 'A document is made',
  updated: 'A new version',
  moved: 'A move',
  renamed: 'A new name',
  deleted: 'A deletion',
  undeleted: 'It is brought back',
  restored: 'An older version comes back',
  label_set: 'Its labels change',
  comment_added: 'A comment',
  comment_settled: 'A thread is resolved or reopened',
  claimed: 'A claim',
  claim_ended: 'A claim ends',
  mirrored: 'A connector writes a version',
  entered: 'It comes into reach',
  left: 'It goes out of reach',
};

/** What can be told of security, from the audit log. */
export const wordsOfSecurity: Readonly<Record<SecurityKind, string>> = {
  'security.refused_burst': 'Many refused requests at once',
  'security.key_minted': 'A key is minted',
  'security.key_rotated': 'A key is rotated',
  'security.key_revoked': 'A key is revoked',
  'security.root_access_changed': 'Access to the whole workspace changes',
  'security.principal_changed': 'People, agents or groups change',
  'security.policy_changed': 'The policy changes',
  'security.webhook_changed': 'A webhook changes',
  'security.erased': 'A document is erased',
  'security.chain_checkpoint': 'The audit log is signed',
};

const nameKind = (kind: string): string =>
  (({ ...wordsOfChange, ...wordsOfSecurity }) as Readonly<Record<string, string>>)[kind] ?? kind;

/** "A new version, a comment". A kind that this page does not know yet is named as it is. */
export function listKinds(kinds: readonly string[]): string {
  const names = kinds.map(nameKind).join(', ').toLowerCase();
  return names.charAt(0).toUpperCase() + names.slice(1);
}

export type Stop = NonNullable<Webhook['stopped']>;

/** Why nothing is sent, and the way out. */
export const wordsOfStop: Readonly<Record<Stop, { readonly title: string; readonly remedy: string }>> = {
  by_hand: { title: 'Disabled', remedy: 'Enable it, and it goes on with what it has not told yet.' },
  failed: {
    title: 'Stopped: no attempt was delivered',
    remedy: 'Mend the receiver and send a test. Then enable it, and it goes on where it stopped.',
  },
  gone: {
    title: 'Stopped: the receiver says that it is gone',
    remedy: 'Remove the webhook, or give it another address and enable it.',
  },
  owner: {
    title: 'Stopped: its owner may not be told any more',
    remedy: 'The owner is disabled, or no approver of the folder. Make a webhook of your own, and remove this one.',
  },
  position_lost: {
    title: 'Stopped: what comes next is not known',
    remedy:
      'The workspace was rebuilt, or an archive of the audit log cannot be read. Enable it, and it begins with what comes from now on.',
  },
  secret_lost: {
    title: 'Stopped: its secret cannot be opened',
    remedy: 'Make a new secret, give it to the receiver, and enable it.',
  },
  restored: {
    title: 'Stopped: the workspace was restored from a backup',
    remedy: 'The one that was backed up may still tell this receiver. Enable it, and it tells what came since.',
  },
};

/** What a webhook is up to, in a word or two. */
export function conditionOf({ stopped, failures, last_delivery: last }: Webhook): {
  readonly name: string;
  readonly tone: BadgeTone;
  /** What waits for people comes first. */
  readonly urgency: number;
} {
  if (stopped === 'by_hand') return { name: 'disabled', tone: 'neutral', urgency: 3 };
  if (stopped !== null) return { name: 'stopped', tone: 'danger', urgency: 0 };
  if (failures > 0) return { name: 'failing', tone: 'warning', urgency: 1 };
  return last === null
    ? { name: 'nothing sent yet', tone: 'info', urgency: 2 }
    : { name: 'delivers', tone: 'success', urgency: 2 };
}
