import type { SourceFaultClass } from '../../domain/connector.js';
import type { HttpAnswer } from '../http-client.js';
import { readXml } from '../read-xml.js';

/** What a store answers instead of what was asked for. */
export interface StoreError {
  readonly status: number;
  /** '' where it says none. */
  readonly code: string;
  /** Where the bucket is, as far as it says so. */
  readonly region: string | undefined;
  readonly headers: HttpAnswer['headers'];
}

const maxError = 64 * 1024;
const badKey = 'The store does not know this access key, or the secret is wrong. Give it a new one.';
const expired = 'The access key has expired. Give it a new one.';
const elsewhere = 'The bucket is in another region, or at another address.';

/** Codes of faults that concern the whole bucket, whatever was asked. */
const faults: Readonly<Record<string, readonly [SourceFaultClass, string]>> = {
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

/** What an answer says is wrong. Its body is read, as far as it is short XML. */
export async function readError(answer: HttpAnswer): Promise<StoreError> {
  const { status } = answer;
  const found = new Map<string, string>();
  try {
    let bytes = 0;
    const short = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of answer.body) {
        bytes += piece.length;
        if (bytes > maxError) return;
        yield piece;
      }
    };
    for await (const elements of readXml(short(), ({ local }) => local === 'Error'))
      for (const { local, text } of elements) found.set(local, text.trim());
  } catch {
    // A gateway between us and the store answers with a page of its own.
  }
  return { status, code: found.get('Code') ?? '', region: found.get('Region'), headers: answer.headers };
}

/** Why the whole bucket cannot be used, in words with the remedy; undefined where the error concerns one object. */
export function explainError(error: StoreError): readonly [SourceFaultClass, string] | undefined {
  const known = Object.hasOwn(faults, error.code) ? faults[error.code] : undefined;
  if (known === undefined) return error.status >= 300 && error.status < 400 ? explainElsewhere(error) : undefined;
  return known[1] === elsewhere ? explainElsewhere(error) : known;
}

function explainElsewhere(error: StoreError): readonly [SourceFaultClass, string] {
  const region = regionOf(error);
  return ['not_found', region === undefined ? elsewhere : `${elsewhere} Set the region ${region}.`];
}

function regionOf({ region, headers }: StoreError): string | undefined {
  const named = headers['x-amz-bucket-region'] ?? region;
  return typeof named === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(named) ? named : undefined;
}
