import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** A message as it came, and as a receiver reads it. */
export interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly type: string;
  readonly location: string | null;
}

type Answer = (response: ServerResponse, received: Received) => void;

const take: Answer = (response) => void response.writeHead(204).end();

/** A program that takes webhooks over HTTP. It answers 204 unless it is told otherwise. */
export class Receiver {
  readonly #server: Server;
  readonly received: Received[] = [];
  answer: Answer = take;
  port = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => void receiver.#server.listen(0, '127.0.0.1', resolve));
    receiver.port = (receiver.#server.address() as AddressInfo).port;
    return receiver;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const body = await text(request);
    const { type, data } = JSON.parse(body) as { type: string; data: { document?: { location: string | null } } };
    const headers = request.headers as Record<string, string>;
    const received = { headers, body, type, location: data.document?.location ?? null };
    this.received.push(received);
    this.answer(response, received);
  }

  /** Takes what comes, and answers with a status. */
  answerWith(status: number, headers: Record<string, string> = {}, body = ''): void {
    this.answer = (response) => void response.writeHead(status, headers).end(body);
  }

  /** Takes what comes again. */
  recover(): void {
    this.answer = take;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `http://${this.host}/in?token=hidden`;
  }

  /** What came, as `type location`. */
  told(): string[] {
    return this.received.map(({ type, location }) => `${type} ${location ?? '-'}`);
  }

  ids(): (string | undefined)[] {
    return this.received.map(({ headers }) => headers['webhook-id']);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Whether the package `standardwebhooks` takes a message for the secret's. It also looks at the time. */
export function isSigned({ body, headers }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
