import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';
import { maxHeaderLength } from '../domain/short-header.js';

/** Whether an address belongs to a proxy with the right to name its client. `hop` counts from the nearest. */
type TrustsProxy = (address: string, hop: number) => boolean;

/**
 * Characters of one address (RFC 4291 §2.2, with a zone). The limit exists because addresses are keys of maps in
 * memory.
 */
const maxAddressLength = 64;

/**
 * Makes the function for a client's address: the first address from our side without a trusted proxy.
 * @param trustProxy the number of proxies, or their addresses, networks and names as `proxy-addr` reads them
 * @param onIgnored called at the first X-Forwarded-For where no proxy is trusted
 * @throws TypeError for an invalid address or network
 */
export function makeAddressReader(
  trustProxy: number | readonly string[],
  onIgnored: () => void = () => undefined,
): (request: IncomingMessage) => string {
  if (trustProxy === 0) {
    let isNoted = false;
    return ({ socket, headers }) => {
      if (!isNoted && headers['x-forwarded-for'] !== undefined) {
        isNoted = true;
        onIgnored();
      }
      return socket.remoteAddress ?? '';
    };
  }
  const trusts: TrustsProxy =
    typeof trustProxy === 'number' ? (_, hop) => hop < trustProxy : proxyAddr.compile([...trustProxy]);
  return (request) => {
    // Proxies append their addresses. The part before them comes from the client, so only its end is read.
    const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').slice(-maxHeaderLength);
    const addresses = forwarded.split(',').map((each) => each.trim().slice(0, maxAddressLength));
    const chain = [request.socket.remoteAddress ?? '', ...addresses.filter((each) => each !== '').toReversed()];
    return chain.find((address, hop) => !trusts(address, hop)) ?? chain.at(-1) ?? '';
  };
}
