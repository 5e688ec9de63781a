import type { HttpAnswer } from '../../egress/http-client.js';
import { readRetryAfter } from '../../egress/retry-after.js';
import { ForbiddenFile, SourceFault, UnreadableFile } from '../source.js';

/** What a store answers instead of what was asked for. */
export interface StoreError {
  readonly status: number;
  /** '' where it says none. */
  readonly code: string;
  /** Where the bucket is, as far as it says so. */
  readonly region: string | undefined;
  readonly headers: HttpAnswer['headers'];
}

const badKey = 'The store does not know this access key, or the secret is wrong. Give it a new one.';
const expired = 'The access key has expired. Give it a new one.';
const elsewhere = 'The bucket is in another region, or at another address.';

/** Codes of faults that concern the whole bucket, whatever was asked. */
const faults: Readonly<Record<string, readonly [SourceFault['fault'], string]>> = {
  NoSuchBucket: ['not_found', 'There is no bucket of this name. Check the name and the address.'],
  InvalidBucketName: ['not_found', 'There is no bucket of this name. Check the name and the address.'],
  AccountProblem: ['auth', 'There is something wrong with the account that the access key belongs to.'],
  InvalidAccessKeyId: ['auth', badKey],
  SignatureDoesNotMatch: ['auth', badKey],
  InvalidSecurity: ['auth', badKey],
  InvalidToken: ['auth', badKey],
  ExpiredToken: ['auth', expired],
  TokenRefreshRequired: ['auth', expired],
  AuthorizationHeaderMalformed: ['not_found', elsewhere],
  PermanentRedirect: ['not_found', elsewhere],
  TemporaryRedirect: ['not_found', elsewhere],
  IllegalLocationConstraintException: ['not_found', elsewhere],
  RequestTimeTooSkewed: ['network', 'The clock here and that of the store differ too much. Set them right.'],
  SlowDown: ['rate', 'The store asks us to wait.'],
  RequestLimitExceeded: ['rate', 'The store asks us to wait.'],
  ServiceUnavailable: ['rate', 'The store is closed for a while.'],
};

/** Why the bucket cannot be listed. */
export function faultOf(error: StoreError, now: number): SourceFault {
  const { status, code, headers } = error;
  const known = Object.hasOwn(faults, code) ? faults[code] : undefined;
  const retryAfter = readRetryAfter({ headers }, now);
  const [fault, message] = known ?? byStatus(status);
  const region = message === elsewhere ? regionOf(error) : undefined;
  const remedy = region === undefined ? '' : ` Set the region ${region}.`;
  return new SourceFault(fault, `${message}${remedy}`, retryAfter === undefined ? {} : { retryAfter });
}

/** Why one object cannot be read, or why none can. */
export function judgeRead(error: StoreError, now: number): SourceFault | UnreadableFile {
  const { status, code } = error;
  if (Object.hasOwn(faults, code) || status === 401 || status === 429 || status === 503) return faultOf(error, now);
  if (status === 404) return new UnreadableFile('unreadable', 'it is gone meanwhile');
  if (status === 412) return new UnreadableFile('unreadable', 'it was changed meanwhile');
  if (code === 'InvalidObjectState') return new UnreadableFile('unreadable', 'it is archived, and has to be restored');
  if (status === 403) return new ForbiddenFile('this access key may not read it');
  return new UnreadableFile('unreadable', `status ${status}`);
}

function byStatus(status: number): readonly [SourceFault['fault'], string] {
  if (status === 401 || status === 403)
    return ['auth', 'This access key may not list the bucket. It needs the right to list it and to read its objects.'];
  if (status === 404) return ['not_found', 'There is no such bucket. Check the name and the address.'];
  if (status >= 300 && status < 400) return ['not_found', elsewhere];
  if (status === 429) return ['rate', 'The store asks us to wait.'];
  if (status === 503) return ['rate', 'The store is closed for a while.'];
  if (status >= 500) return ['network', `The store failed with status ${status}. It is asked again later.`];
  return ['not_found', `This address does not speak the protocol of S3 (status ${status}). Check it.`];
}

function regionOf({ region, headers }: StoreError): string | undefined {
  const named = headers['x-amz-bucket-region'] ?? region;
  return typeof named === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(named) ? named : undefined;
}
