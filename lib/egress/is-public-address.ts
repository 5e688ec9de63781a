import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { normalizeHost } from './host-and-port.js';

/** The part of IPv6 that is given out to the public internet. */
const givenOut = ipaddr.IPv6.parseCIDR('2000::/3');
/** The networks that translate to IPv4. The last 32 bits of an address in it are the IPv4 address. */
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Whether an address belongs to the public internet. Loopback, private, link-local, shared, documentation, multicast
 * and reserved addresses do not, and neither does what tunnels to IPv4. Of an address that only carries an IPv4
 * address, that one is checked.
 * @param text an address in its usual form, without brackets. Anything else is not public
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 4) return ipaddr.IPv4.parse(text).range() === 'unicast';
  // The library reads `::8.8.8.8` as `::ffff:8.8.8.8`, which is another address; in hexadecimal form it does not.
  const hexadecimal = isIP(text) === 6 ? normalizeHost(text) : undefined;
  if (hexadecimal === undefined) return false;
  const address = ipaddr.IPv6.parse(hexadecimal);
  if (address.isIPv4MappedAddress()) return isPublicAddress(address.toIPv4Address().toString());
  if (address.match(translated)) return isPublicAddress(address.toByteArray().slice(12).join('.'));
  return address.match(givenOut) && address.range() === 'unicast';
}
