import { invalidRequest } from '../../domain/refusal.js';

/** Printable characters of ASCII. */
const keyPattern = /^[\x20-\x7e]{1,255}$/;

/**
 * Reads an Idempotency-Key header. The IETF draft writes it as a structured string (RFC 9651 §3.3.3): its quotes are
 * optional, and within them a backslash stands before a quote or a backslash.
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
  const key = /^"(.*)"$/.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1') ?? header;
  if (!keyPattern.test(key)) {
    throw invalidRequest('bad_field', 'The Idempotency-Key must be 1 to 255 printable characters of ASCII.', {
      field: 'Idempotency-Key',
    });
  }
  return key;
}
