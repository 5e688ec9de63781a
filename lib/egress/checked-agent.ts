import { once } from 'node:events';
import { Agent, type ClientRequestArgs } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as secure, type TLSSocket } from 'node:tls';
import { EgressFault } from './egress-fault.js';
import { dial, type DialMeans } from './dial.js';
import { normalizeHost } from './host-and-port.js';

/** Milliseconds for the handshake of TLS. */
const timeout = 10_000;
/** Connections to one server at once. */
const maxSockets = 8;

export interface AgentMeans extends DialMeans {
  /** Certificates of authorities that are trusted instead of the system's, in PEM. */
  readonly authorities?: readonly string[];
}

/**
 * An agent for Node's http, whose connections are all dialled by `dial`. For `https:` the certificate has to be valid
 * for the name that was asked for.
 */
export class CheckedAgent extends Agent {
  readonly protocol: 'http:' | 'https:';
  readonly defaultPort: number;
  readonly #means: AgentMeans;
  readonly #closing = new AbortController();

  constructor(protocol: 'http:' | 'https:', means: AgentMeans) {
    super({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout: 60_000 });
    this.protocol = protocol;
    this.defaultPort = protocol === 'https:' ? 443 : 80;
    this.#means = means;
  }

  override createConnection(
    options: ClientRequestArgs,
    onCreated?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const host = options.host ?? options.hostname ?? '';
    this.#connect(host, Number(options.port ?? this.defaultPort)).then(
      (socket) => onCreated?.(null, socket),
      // Node looks at the socket only when there is no error.
      (error: unknown) => onCreated?.(error as Error, undefined as unknown as Duplex),
    );
  }

  async #connect(host: string, port: number): Promise<Socket> {
    const { signal } = this.#closing;
    const socket = await dial(host, port, { ...this.#means, signal });
    return this.protocol === 'https:' ? secureSocket(socket, normalizeHost(host) ?? host, this.#means, signal) : socket;
  }

  /** Ends the connections, and those that are being made. */
  override destroy(): void {
    this.#closing.abort(new EgressFault('network', 'The connection was closed.'));
    super.destroy();
  }
}

async function secureSocket(
  socket: Socket,
  host: string,
  { authorities }: AgentMeans,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const secured = secure({
    socket,
    host,
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    ...(authorities === undefined ? {} : { ca: [...authorities] }),
  });
  try {
    await once(secured, 'secureConnect', { signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]) });
    return secured;
  } catch (error) {
    secured.destroy();
    socket.destroy();
    throw error;
  }
}
