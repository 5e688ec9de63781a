import { parseTraceparent, type TraceContext } from '../http/trace-context.js';

/**
 * The trace that a message names in `params._meta`. It is nearer to the call than that of the HTTP header, which may be
 * the carrier's own.
 */
export function readTrace(message: unknown): TraceContext | undefined {
  const { params } = (message ?? {}) as { readonly params?: unknown };
  const { _meta: meta } = (params ?? {}) as { readonly _meta?: unknown };
  if (typeof meta !== 'object' || meta === null || !Object.hasOwn(meta, 'traceparent')) return undefined;
  return parseTraceparent((meta as { readonly traceparent?: unknown }).traceparent);
}
