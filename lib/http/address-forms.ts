import { isIP } from 'node:net';

/** Whether it is an http or https address without a query. */
export function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username } = new URL(text);
  return /^https?:$/.test(protocol) && search === '' && hash === '' && username === '';
}

/** Whether it says which proxies are trusted: an address, a range, or the name of a range. */
export function isProxyAddress(text: string): boolean {
  if (/^(?:loopback|linklocal|uniquelocal)$/.test(text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** Whether it is `host:port`, with an IPv6 address in brackets. */
export function isHostAndPort(text: string): boolean {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (Number(port) < 1 || Number(port) > 65535) return false;
  if (host.startsWith('[')) return host.endsWith(']') && isIP(host.slice(1, -1)) === 6;
  return /^[a-z0-9._-]{1,253}$/i.test(host);
}
