import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { EgressFault } from './egress-fault.js';
import { formatHostAndPort, normalizeHost, parseHostAndPort, type HostAndPort } from './host-and-port.js';
import { isPublicAddress } from './is-public-address.js';

/** Milliseconds for the resolution of a name, and for all attempts to connect. */
const timeout = 10_000;
/** Addresses of one name that are tried. */
const maxTried = 4;

/** @returns all addresses of a name */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** What the operator lets us reach. Without a word: public addresses alone. */
export interface HostAllowance {
  /** `host:port` at addresses that are not public. */
  readonly hosts: readonly string[];
  /** The setting that lists them; `connector_hosts` when left out. */
  readonly setting?: 'webhook_hosts';
}

/** What a connection to the outside may use. */
export interface DialMeans {
  readonly allowance: HostAllowance;
  /** How names become addresses; the system's way when left out. */
  readonly resolve?: Resolve;
}

/**
 * Connects to a host, and is the only way to one. It resolves the name once, checks every address, and connects to an
 * address that it checked, so that a name which changes its address gains nothing.
 * @param host a name or an address, in any form
 * @throws EgressFault `denied_egress` when an address is not public and the operator has not allowed this host and port
 */
export async function dial(
  host: string,
  port: number,
  { allowance, resolve = resolveWithSystem, signal }: DialMeans & { readonly signal?: AbortSignal },
): Promise<Socket> {
  signal?.throwIfAborted();
  const name = normalizeHost(host);
  if (name === undefined || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw new EgressFault('denied_egress', 'The address of this server names no host and port. Correct the address.');
  const target = { host: name, port };
  const limit = AbortSignal.timeout(timeout);
  const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const addresses = isIP(name) === 0 ? await resolveInTime(name, resolve, either, signal) : [name];
  requireAllowed(target, addresses, allowance);
  return connectToOne(addresses, target, either, signal);
}

/** Whether the operator has allowed exactly this host and port. */
export function isAllowed(target: HostAndPort, { hosts }: HostAllowance): boolean {
  return hosts.some((text) => {
    const allowed = parseHostAndPort(text);
    return allowed !== undefined && allowed.host === target.host && allowed.port === target.port;
  });
}

/** One address that is not public is enough: a name of the public internet has none. */
function requireAllowed(target: HostAndPort, addresses: readonly string[], allowance: HostAllowance): void {
  if (isAllowed(target, allowance) || addresses.every(isPublicAddress)) return;
  const written = formatHostAndPort(target);
  throw new EgressFault(
    'denied_egress',
    `The server at ${written} is not on the public internet. Who runs the service can allow it: add "${written}" to the setting ${allowance.setting ?? 'connector_hosts'}.`,
  );
}

async function resolveInTime(
  host: string,
  resolve: Resolve,
  either: AbortSignal,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await untilAborted(resolve(host), either);
  } catch (error) {
    signal?.throwIfAborted();
    throw new EgressFault('network', `The name ${host} cannot be resolved. Check the address of the server.`, {
      cause: error,
    });
  }
  if (addresses.length === 0)
    throw new EgressFault('network', `The name ${host} has no address. Check the address of the server.`);
  return addresses;
}

/** libuv gives such look-ups at most half of its threads, so slow ones do not keep files from being read. */
async function resolveWithSystem(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Tries one address after the other, and gives each a fair part of the time. */
async function connectToOne(
  addresses: readonly string[],
  target: HostAndPort,
  either: AbortSignal,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  const tried = addresses.slice(0, maxTried);
  let cause: unknown;
  for (const address of tried) {
    try {
      const share = AbortSignal.timeout(timeout / tried.length);
      return await connectTo(address, target.port, AbortSignal.any([either, share]));
    } catch (error) {
      signal?.throwIfAborted();
      cause = error;
    }
  }
  throw new EgressFault(
    'network',
    `The server at ${formatHostAndPort(target)} does not take connections. Check that it runs, and the address.`,
    { cause },
  );
}

async function connectTo(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host: address, port, noDelay: true });
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
