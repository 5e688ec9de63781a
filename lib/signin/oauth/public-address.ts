import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Addresses outside the open internet (IANA's registries of special-purpose addresses). They are this machine, private
 * networks, link-local ones with the metadata services of clouds, shared, reserved and multicast ones.
 */
const special = new BlockList();
const ranges4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];
for (const [address, prefix] of ranges4) special.addSubnet(address, prefix, 'ipv4');

/** Global unicast: of the sixth version everything else is special. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const ranges6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  // These carry an address of the fourth version within.
  ['2002::', 16],
  ['3fff::', 20],
];
for (const [address, prefix] of ranges6) special.addSubnet(address, prefix, 'ipv6');

/** Whether an address is on the open internet, so a stranger may make this service call it. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  return isIPv6(address) && global6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}
