import { createHash } from 'node:crypto';
import type { Retry } from '../../operations/operation.js';
import { canonicalize } from './canonicalize.js';
import { parseIdempotencyKey } from './parse-idempotency-key.js';
import { nameForm, type Body } from './take-body.js';
import type { CheckedRequest } from './checked-request.js';

/**
 * The identity of requests under one Idempotency-Key: method, path, query, If-Match, media type and body, JSON by its
 * RFC 8785 form without a secret. The hash of a raw body is known only after it was read. So the fingerprint is made on demand: `perform` asks
 * for it after the body was taken in.
 * @throws Refusal INVALID_REQUEST `missing_idempotency_key`, `bad_field`
 */
export function readRetry(request: CheckedRequest): Retry {
  const { method, sent, body } = request;
  return {
    key: parseIdempotencyKey(request.header('idempotency-key')),
    get fingerprint() {
      const form = body.form === 'none' ? '' : (mediaTypeOf(body) ?? nameForm(body.form));
      return createHash('sha256')
        .update(JSON.stringify([method, sent.path, sent.query, form, ...conditionOf(request)]))
        .update(digestOf(body))
        .digest();
    },
    ...(body.form === 'raw' ? { takeRest: () => body.takeRest() } : {}),
  };
}

/** The media type of a document's bytes, as sent. */
function mediaTypeOf(body: Body): string | undefined {
  return body.form === 'raw' ? body.mediaType : undefined;
}

/** Absent without a condition, so that keys from before it counted stay good. */
function conditionOf(request: CheckedRequest): readonly string[] {
  const condition = request.header('if-match');
  return condition === undefined ? [] : [condition];
}

/** The hash lies in the workspace's file, and a short secret could be guessed by it. */
function withoutSecret(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('secret' in value)) return value;
  return { ...value, secret: null };
}

function digestOf(body: Body): Buffer {
  if (body.form === 'raw') return body.digest();
  if (body.form === 'json' && body.content !== undefined) return body.content.digest;
  return createHash('sha256')
    .update(canonicalize(body.form === 'json' ? withoutSecret(body.value) : null) ?? '')
    .digest();
}
