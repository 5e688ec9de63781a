import { isIP } from 'node:net';

/** Names of this machine that no foreign page can take. */
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Where requests may come from and be addressed to. */
export interface Admission {
  /** Where the service is reached. */
  readonly publicUrl: string;
  readonly corsOrigins: readonly string[];
}

/**
 * Whether the request names us as its host. A page that has its own name lead to this machine (DNS rebinding) names
 * itself; an address in numbers cannot be led anywhere.
 */
export function admitsHost(host: string | undefined, { publicUrl }: Admission): boolean {
  if (host === undefined) return false;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return (
    loopback.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || host.toLowerCase() === new URL(publicUrl).host
  );
}

/** Whether a page of this origin may call: the service's own and those that are configured. None named is no page. */
export function admitsOrigin(origin: string | undefined, { publicUrl, corsOrigins }: Admission): boolean {
  return origin === undefined || origin === new URL(publicUrl).origin || corsOrigins.includes(origin);
}
