import type { IncomingMessage } from 'node:http';
import express from 'express';
import { maxHeaderLength } from '../../domain/short-header.js';

/** Whether an address is that of a proxy which may say who its client is; `hop` counts from the nearest. */
type TrustsProxy = (address: string, hop: number) => boolean;

/** Characters of one address (RFC 4291 §2.2, with a zone): it is a key of what is held in memory. */
const maxAddressLength = 64;

/**
 * Makes the function that tells a client's address: the first from our side on that no trusted proxy has (as Express's
 * `req.ip`).
 * @param trustProxy the proxies' number, or which
 */
export function makeAddressReader(trustProxy: number | readonly string[]): (request: IncomingMessage) => string {
  if (trustProxy === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const trusts = express().set('trust proxy', trustProxy).get('trust proxy fn') as TrustsProxy;
  return (request) => {
    // Proxies add at the end; what a client put in front of that is looked at only so far.
    const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').slice(-maxHeaderLength);
    const addresses = forwarded.split(',').map((each) => each.trim().slice(0, maxAddressLength));
    const chain = [request.socket.remoteAddress ?? '', ...addresses.filter((each) => each !== '').toReversed()];
    return chain.find((address, hop) => !trusts(address, hop)) ?? chain.at(-1) ?? '';
  };
}
