import { invalidRequest } from '../../domain/refusal.js';

const keyPattern = /^[A-Za-z0-9_:.-]{1,255}$/;

/**
 * Reads an Idempotency-Key header; the quotes of the IETF draft's structured string are optional.
 * @throws Refusal INVALID_REQUEST `missing_idempotency_key`, `bad_field`
 */
export function parseIdempotencyKey(header: string | undefined): string {
  if (header === undefined || header === '') {
    throw invalidRequest(
      'missing_idempotency_key',
      'Send an Idempotency-Key header: a new random one for each new request.',
      { field: 'Idempotency-Key' },
    );
  }
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!keyPattern.test(key)) {
    throw invalidRequest('bad_field', 'The Idempotency-Key must be 1 to 255 characters of A-Z a-z 0-9 _ : . -', {
      field: 'Idempotency-Key',
    });
  }
  return key;
}
