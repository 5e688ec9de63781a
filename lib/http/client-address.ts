import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';
import { maxHeaderLength } from '../domain/short-header.js';

/** Whether an address is that of a proxy which may say who its client is; `hop` counts from the nearest. */
type TrustsProxy = (address: string, hop: number) => boolean;

/** Characters of one address (RFC 4291 §2.2, with a zone): it is a key of what is held in memory. */
const maxAddressLength = 64;

/**
 * Makes the function that determines a client's address: the first address from our side that no trusted proxy has.
 * @param trustProxy the number of proxies, or their addresses, networks and names as `proxy-addr` reads them
 * @throws TypeError for an address or network that is none
 */
export function makeAddressReader(trustProxy: number | readonly string[]): (request: IncomingMessage) => string {
  if (trustProxy === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const trusts: TrustsProxy =
    typeof trustProxy === 'number' ? (_, hop) => hop < trustProxy : proxyAddr.compile([...trustProxy]);
  return (request) => {
    // Proxies add at the end; what a client put in front of that is looked at only so far.
    const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').slice(-maxHeaderLength);
    const addresses = forwarded.split(',').map((each) => each.trim().slice(0, maxAddressLength));
    const chain = [request.socket.remoteAddress ?? '', ...addresses.filter((each) => each !== '').toReversed()];
    return chain.find((address, hop) => !trusts(address, hop)) ?? chain.at(-1) ?? '';
  };
}
