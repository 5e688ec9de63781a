import { isIP } from 'node:net';

/** Names of this machine, closed to foreign pages. */
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The allowed origins and addresses of requests. */
export interface Admission {
  /** Where the service is reached. */
  readonly publicUrl: string;
  readonly corsOrigins: readonly string[];
}

/**
 * Whether the request's host is ours. A page whose own name leads to this machine (DNS rebinding) sends its own name. A
 * numeric address cannot be redirected.
 */
export function admitsHost(host: string | undefined, { publicUrl }: Admission): boolean {
  if (host === undefined) return false;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return (
    loopback.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || host.toLowerCase() === new URL(publicUrl).host
  );
}

/**
 * Whether a page of this origin may call: the service's own and the configured ones. A request without an origin comes
 * from no page.
 */
export function admitsOrigin(origin: string | undefined, { publicUrl, corsOrigins }: Admission): boolean {
  return origin === undefined || origin === new URL(publicUrl).origin || corsOrigins.includes(origin);
}
