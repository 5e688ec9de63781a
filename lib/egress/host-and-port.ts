import { isIP } from 'node:net';

/** Where a connection goes. */
export interface HostAndPort {
  /** In the one form that a host has: an ASCII name in small letters, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Characters that end or divide the host in an address of the web. */
const divider = /[/?#@\\\s]/;

/**
 * The one form of a host. Numbers in every form that a system takes for an address become that address: `0x7f.1` is
 * 127.0.0.1. Names become ASCII in small letters, and lose the dot at their end.
 * @param text a name, or an address with or without brackets
 * @returns undefined when it is no host
 */
export function normalizeHost(text: string): string | undefined {
  if (text === '' || text.length > 1024 || divider.test(text)) return undefined;
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (inner.includes(':') ? isIP(inner) !== 6 : inner !== text) return undefined;
  let url: URL;
  try {
    url = new URL(`http://${inner.includes(':') ? `[${inner}]` : inner}/`);
  } catch {
    return undefined;
  }
  if (url.hostname.startsWith('[')) return url.hostname.slice(1, -1);
  const host = url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
  const isName = /^[a-z0-9._-]{1,253}$/.test(host) && host.split('.').every((label) => label !== '');
  return isName ? host : undefined;
}

/** @returns undefined when it is no `host:port` */
export function parseHostAndPort(text: string): HostAndPort | undefined {
  const colon = text.lastIndexOf(':');
  const digits = text.slice(colon + 1);
  if (colon < 0 || !/^[0-9]{1,5}$/.test(digits)) return undefined;
  const port = Number(digits);
  const host = normalizeHost(text.slice(0, colon));
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

/** As the operator writes it in the setting. */
export function formatHostAndPort({ host, port }: HostAndPort): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
