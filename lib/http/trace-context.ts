/** The caller's place in its own trace (W3C Trace Context, §3.2): no part of it is a secret, and none names a person. */
export interface TraceContext {
  /** 32 hex digits, not all zero. */
  readonly traceId: string;
  /** 16 hex digits, not all zero: the caller's span. */
  readonly spanId: string;
}

/** Version, trace, span and flags. A version after 00 may have more after the flags. */
const form = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-[\x20-\x7e]*)?$/;
/** A later version may be longer than the 55 characters of 00. What is longer than this is not read. */
const maxLength = 256;
const onlyZeros = /^0+$/;

/**
 * Reads a `traceparent`. It comes from outside, so a value of any other form is left out and no reason to refuse.
 * @param value of the header or of the member of `_meta`, as it came
 */
export function parseTraceparent(value: unknown): TraceContext | undefined {
  if (typeof value !== 'string' || value.length > maxLength) return undefined;
  const [, version, traceId = '0', spanId = '0', more] = form.exec(value) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (onlyZeros.test(traceId) || onlyZeros.test(spanId)) return undefined;
  return { traceId, spanId };
}
