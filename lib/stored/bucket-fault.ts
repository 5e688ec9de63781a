import type { SourceFaultClass } from '../domain/connector.js';
import { EgressFault } from '../egress/egress-fault.js';
import { readRetryAfter } from '../egress/retry-after.js';
import { explainError, type StoreError } from '../egress/s3/store-error.js';

/**
 * What is wrong, by what can be done about it.
 * - auth: the access key is wrong or has expired.
 * - denied: the key lacks a right, or the bucket or the address must not be used so.
 * - absent: there is no such bucket or object.
 * - away: the store cannot be reached or is overloaded; the same may succeed later.
 * - corrupt: what the store answers contradicts itself, or the protocol.
 */
export type BucketFaultKind = 'auth' | 'absent' | 'denied' | 'away' | 'corrupt';

/** A bucket did not do what it was asked for. The message says what to do, and holds no secret. */
export class BucketFault extends Error {
  override readonly name = 'BucketFault';
  readonly kind: BucketFaultKind;

  constructor(kind: BucketFaultKind, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
  }
}

/** What one attempt came to. */
export interface Trouble {
  readonly fault: BucketFault;
  /** Whether the same request may succeed in a while. */
  readonly isPassing: boolean;
  /** Whether the store may have done what it was asked for. */
  readonly isDoubtful: boolean;
  /** Seconds that the store asked to wait. */
  readonly retryAfter?: number | undefined;
}

/** A reader of an answer found that it is a fault after all. It is judged as one. */
export class AnswerTrouble extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.fault.message);
    this.trouble = trouble;
  }
}

const kinds: ReadonlyMap<SourceFaultClass, BucketFaultKind> = new Map([
  ['auth', 'auth'],
  ['not_found', 'absent'],
  ['network', 'away'],
  ['rate', 'away'],
  ['denied_egress', 'denied'],
]);

const deeds: Readonly<Record<string, string>> = {
  GET: 'read or list',
  HEAD: 'read',
  PUT: 'write',
  POST: 'write',
  DELETE: 'delete',
};

/** Codes that stores answer with status 400, and that say nothing against the request itself. */
const passing: readonly string[] = [
  'RequestTimeout',
  'IncompleteBody',
  'BadDigest',
  'OperationAborted',
  'InternalError',
];

/** What an answer with an error means (Amazon S3 API Reference, "Error Responses"). */
export function judgeAnswer(error: StoreError, method: string, now: number): Trouble {
  const { status, code } = error;
  const retryAfter = readRetryAfter(error, now);
  const isDoubtful = status >= 500 && status !== 501;
  const [kind, message] = explain(error, method);
  const isOverloaded = explainError(error)?.[0] === 'rate' || status === 408 || status === 429;
  const isPassing = kind !== 'auth' && (isDoubtful || isOverloaded || passing.includes(code));
  return { fault: new BucketFault(kind, message), isPassing, isDoubtful, retryAfter };
}

function explain(error: StoreError, method: string): readonly [BucketFaultKind, string] {
  const { status, code } = error;
  const known = explainError(error);
  if (known !== undefined) return [kinds.get(known[0]) ?? 'corrupt', known[1]];
  if (status === 401) return ['auth', 'The store does not take this access key. Give it a new one.'];
  if (status === 403)
    return [
      'denied',
      `This access key may not ${deeds[method] ?? 'do that'} here. It needs the rights to list the bucket, and to read, write and delete objects below the prefix.`,
    ];
  if (status === 404) return ['absent', 'The bucket has no such object.'];
  if (code === 'BadDigest')
    return [
      'corrupt',
      'What arrived at the store differs from what was sent. Check the network and what stands between.',
    ];
  if (status === 408 || status === 429 || (status >= 500 && status !== 501) || passing.includes(code))
    return ['away', `The store failed with status ${status}. Look whether it is well; it is asked again later.`];
  const named = /^[A-Za-z0-9]{1,64}$/.test(code) ? `, ${code}` : '';
  return [
    'corrupt',
    `The store refuses a request that every store with the protocol of S3 takes (status ${status}${named}). Check its address.`,
  ];
}

/** What a fault of the connection means. Undefined for errors that come from elsewhere. */
export function judgeFault(error: unknown): Trouble | undefined {
  if (error instanceof AnswerTrouble) return error.trouble;
  if (error instanceof BucketFault) return { fault: error, isPassing: false, isDoubtful: false };
  if (!(error instanceof EgressFault)) return undefined;
  const { fault, message } = error;
  const kind = kinds.get(fault) ?? 'corrupt';
  const isPassing = fault === 'network' || fault === 'corrupt';
  return { fault: new BucketFault(kind, message, { cause: error }), isPassing, isDoubtful: isPassing };
}
