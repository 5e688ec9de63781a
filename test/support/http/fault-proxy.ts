import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What goes wrong with one exchange. */
export type Fault =
  | { readonly what: 'none' }
  /** The connection ends before the service gets the request. */
  | { readonly what: 'lost request' }
  /** The service does what it is asked, and the answer is lost. */
  | { readonly what: 'lost answer' }
  /** The same, and half of the answer's body arrives. */
  | { readonly what: 'cut answer' }
  /** Nothing arrives, for as long as the client waits. */
  | { readonly what: 'silence' }
  /** Something else than the service answers. */
  | {
      readonly what: 'answer';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string | Uint8Array;
    };

/** A request as the proxy got it. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly authorization: string | undefined;
  readonly body: Buffer;
}

/** Stands between a client and a service, and lets go wrong what a test wants, request by request. */
export class FaultProxy {
  readonly #server: Server;
  readonly #target: string;
  readonly #faults: Fault[] = [];
  #url = '';
  /** Every request that arrived, in order. */
  readonly exchanges: Exchange[] = [];

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((incoming, response) => void this.#pass(incoming, response));
  }

  /** @param target the address of the service */
  static async open(target: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    proxy.#url = `http://127.0.0.1:${(proxy.#server.address() as AddressInfo).port}`;
    return proxy;
  }

  /** Its address, also after it was closed. */
  get url(): string {
    return this.#url;
  }

  /** What happens to the next requests, in order; those after them pass unharmed. */
  plan(...faults: (Fault | Exclude<Fault['what'], 'answer'>)[]): void {
    this.#faults.push(...faults.map((fault) => (typeof fault === 'string' ? { what: fault } : fault)));
  }

  /** Forgets what was planned and what arrived. */
  reset(): void {
    this.#faults.length = 0;
    this.exchanges.length = 0;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = this.#faults.shift() ?? { what: 'none' };
    const { method = '', url: path = '', headers } = incoming;
    try {
      const body = await buffer(incoming);
      const { 'idempotency-key': key, authorization } = headers as Record<string, string | undefined>;
      this.exchanges.push({ method, path, key, authorization, body });
      if (fault.what === 'silence') return;
      if (fault.what === 'lost request') return void incoming.socket.destroy();
      if (fault.what === 'answer') return void response.writeHead(fault.status, fault.headers).end(fault.body);
      const answer = await this.#ask(method, path, headers, body);
      const bytes = await buffer(answer);
      if (fault.what === 'lost answer') return void incoming.socket.destroy();
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      if (fault.what === 'none') return void response.end(bytes);
      response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => incoming.socket.destroy());
    } catch {
      // The client has left, or the service has.
      incoming.socket.destroy();
    }
  }

  #ask(method: string, path: string, headers: IncomingMessage['headers'], body: Buffer): Promise<IncomingMessage> {
    const { 'transfer-encoding': _, ...rest } = headers;
    const length = body.length > 0 ? { 'content-length': body.length } : {};
    return new Promise((resolve, reject) => {
      request(new URL(path, this.#target), { method, headers: { ...rest, ...length } }, resolve)
        .on('error', reject)
        .end(body);
    });
  }
}
