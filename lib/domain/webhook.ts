import { changeKinds, type ChangeKind } from './change.js';

/** What a webhook for security tells, by the names in every interface. */
export const securityKinds = [
  'security.refused_burst',
  'security.key_minted',
  'security.key_rotated',
  'security.key_revoked',
  'security.root_access_changed',
  'security.principal_changed',
  'security.policy_changed',
  'security.webhook_changed',
  'security.erased',
  'security.chain_checkpoint',
] as const;
export type SecurityKind = (typeof securityKinds)[number];

/** What a webhook can be asked to tell: changes of documents, or what the audit log says about security. */
export const webhookKinds = [...changeKinds, ...securityKinds] as const;
export type WebhookKind = ChangeKind | SecurityKind;

export const isSecurityKind = (kind: WebhookKind): kind is SecurityKind => kind.startsWith('security.');

/** Why a webhook sends nothing more until it is enabled. */
export const webhookStops = [
  /** A principal disabled it. */
  'by_hand',
  /** Every attempt failed. */
  'failed',
  /** The receiver answered 410 Gone. */
  'gone',
  /** Its owner is disabled, or no approver of its location any more. */
  'owner',
  /** What comes next is not known any more, as after a rebuild, or cannot be read from its archive. */
  'position_lost',
  /** Its secret cannot be opened: the key is another one. */
  'secret_lost',
  /** The workspace came from a backup. The one that was backed up may go on, and tell the same receiver. */
  'restored',
] as const;
export type WebhookStop = (typeof webhookStops)[number];

/** An address that is sent what changes. It follows its owner's feed at its location. */
export interface Webhook {
  readonly id: string;
  readonly name: string;
  /** Whose reach decides. */
  readonly owner: string;
  readonly location: string;
  readonly url: string;
  /** Null for every change of a document. */
  readonly kinds: readonly WebhookKind[] | null;
  /** Null while it is enabled. */
  readonly stopped: WebhookStop | null;
  /** Where its feed goes on: everything before is sent, or concerned it by none of its kinds of then. */
  readonly position: string;
  /** Attempts in a row that failed. */
  readonly failures: number;
  /** When the next attempt is due; null when no message waits for one. Milliseconds since 1970. */
  readonly nextAttemptAt: number | null;
  /** Until when the former secret signs, too; null for no former one. */
  readonly rotatingUntil: number | null;
  readonly createdAt: number;
  /** Changes with the address, the kinds and the state: a delivery under way belongs to those before. */
  readonly generation: number;
}

/** What became of one attempt. */
export const deliveryOutcomes = ['delivered', 'failed', 'gone'] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/** One attempt to deliver a message. It holds nothing of the message but ids. */
export interface WebhookDelivery {
  readonly number: number;
  /** The `webhook-id`: the same for every attempt of one message. */
  readonly messageId: string;
  /** Such as `document.updated`. */
  readonly type: string;
  readonly at: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly outcome: DeliveryOutcome;
  /** Of HTTP; null when no answer came. */
  readonly status: number | null;
  /** The beginning of the receiver's answer, or why none came. */
  readonly answer: string | null;
}

/** The answer to one message, or why none came. */
export interface Sent {
  readonly outcome: DeliveryOutcome;
  readonly status: number | null;
  readonly answer: string | null;
  /** Milliseconds. */
  readonly duration: number;
  /** Seconds that the receiver asked to wait. */
  readonly retryAfter: number | undefined;
}
