import { isIPv4, isIPv6 } from 'node:net';

/**
 * The part of an address under which its requests are counted. An IPv6 host commonly has a network of 2^64 addresses to
 * itself (RFC 6177), so the network is counted. An IPv4 address written as IPv6 (RFC 4291 §2.5.5.2) counts as the IPv4
 * address.
 * @param address as a connection or a trusted proxy gives it; any other text is left as it is
 */
export function cutAddress(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address;
  const groups = readGroups(address);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [groups[6] ?? 0, groups[7] ?? 0].flatMap((group) => [group >> 8, group & 0xff]).join('.');
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight groups of 16 bits. @param address an IPv6 address, with a zone or without */
function readGroups(address: string): number[] {
  const [bare = ''] = address.split('%');
  const last = bare.slice(bare.lastIndexOf(':') + 1);
  const text = isIPv4(last) ? bare.slice(0, -last.length) + writeAsGroups(last) : bare;
  const [left = [], right = []] = text.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

function writeAsGroups(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
