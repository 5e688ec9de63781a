import {
  createServer,
  request,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { AwsV4Signer } from 'aws4fetch';

/** What goes wrong with one request. */
export type BucketTrouble =
  | { readonly what: 'none' }
  /** Answered without asking the store. */
  | {
      readonly what: 'status';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  /** The store gets this many bytes of the body, then the connection ends. */
  | { readonly what: 'cut request'; readonly bytes: number }
  /** The client gets this many bytes of the body, then the connection ends. */
  | { readonly what: 'cut answer'; readonly bytes: number }
  /** The store does what it is asked, and the answer is lost. */
  | { readonly what: 'lost answer' }
  /** The connection ends at once. */
  | { readonly what: 'drop' }
  /** The store is asked after some milliseconds. */
  | { readonly what: 'slow'; readonly milliseconds: number };

/** As aws4fetch names it. */
interface StoreKeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * How conditions of writes are taken: passed on; ignored, so that the store overwrites; or obeyed, by asking the store
 * first, one write after the other.
 */
export type Conditions = 'passed' | 'ignored' | 'obeyed';

/** Stands before an object store, and lets go wrong what a test wants, request by request. */
export class BucketProxy {
  readonly #server: Server;
  readonly #target: string;
  readonly #troubles: BucketTrouble[] = [];
  #lasting: BucketTrouble = { what: 'none' };
  #turn: Promise<unknown> = Promise.resolve();
  conditions: Conditions = 'passed';
  /**
   * Whether the store is asked only once a body is there to its end. An object of S3 appears whole or not at all; s3rver
   * keeps the part that came before a client was killed.
   */
  isWhole = false;
  /** `METHOD path` of every request, in order. */
  readonly asked: string[] = [];
  /** Decides about a request by its `METHOD path`, after a while if it wants to hold it; undefined leaves it to the others. */
  judge: ((asked: string) => Promise<BucketTrouble | undefined> | BucketTrouble | undefined) | undefined;

  readonly #key: StoreKeyPair;

  private constructor(target: string, key: StoreKeyPair) {
    this.#target = target;
    this.#key = key;
    this.#server = createServer((incoming, response) => void this.#take(incoming, response));
  }

  /**
   * @param target `host:port` of the store
   * @param key with which it signs a write whose condition it takes off
   */
  static async open(target: string, key: StoreKeyPair): Promise<BucketProxy> {
    const proxy = new BucketProxy(target, key);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What happens to the next requests, in order. Those after them pass unharmed. */
  next(...troubles: readonly BucketTrouble[]): void {
    this.#troubles.push(...troubles);
  }

  /** What happens to every request from now on, until it recovers. */
  always(trouble: BucketTrouble): void {
    this.#lasting = trouble;
  }

  /** Nothing goes wrong any more. */
  recover(): void {
    this.#troubles.length = 0;
    this.#lasting = { what: 'none' };
    this.judge = undefined;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked.push(`${incoming.method} ${incoming.url}`);
    incoming.on('error', () => undefined);
    response.on('error', () => undefined);
    const judged = await this.judge?.(`${incoming.method} ${incoming.url}`);
    const trouble = judged ?? this.#troubles.shift() ?? this.#lasting;
    try {
      if (trouble.what === 'drop') incoming.socket.destroy();
      else if (trouble.what === 'status') {
        incoming.resume();
        response.writeHead(trouble.status, trouble.headers).end(trouble.body ?? '');
      } else if (isConditional(incoming) && this.conditions !== 'passed')
        await this.#putInTurn(incoming, response, trouble);
      else {
        if (trouble.what === 'slow') await new Promise((resolve) => setTimeout(resolve, trouble.milliseconds));
        await this.#pass(incoming, response, trouble);
      }
    } catch {
      incoming.socket.destroy();
    }
  }

  async #pass(
    incoming: IncomingMessage,
    response: ServerResponse,
    trouble: BucketTrouble,
    headers: OutgoingHttpHeaders = incoming.headers,
  ): Promise<void> {
    const gathered = this.isWhole ? [await buffer(incoming)] : undefined;
    const outgoing = this.#ask(incoming.method, incoming.url, headers);
    const answered = answerOf(outgoing);
    let [sent, wake] = [0, (): void => undefined];
    outgoing.on('drain', () => wake()).once('close', () => wake());
    for await (const piece of gathered ?? (incoming as AsyncIterable<Buffer>)) {
      if (trouble.what === 'cut request' && sent + piece.length > trouble.bytes) {
        outgoing.destroy();
        incoming.socket.destroy();
        return;
      }
      sent += piece.length;
      if (!outgoing.write(piece)) await new Promise<void>((resolve) => (wake = resolve));
    }
    outgoing.end();
    const answer = await answered;
    if (trouble.what === 'lost answer') {
      await buffer(answer);
      incoming.socket.destroy();
      return;
    }
    response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
    let passed = 0;
    for await (const piece of answer as AsyncIterable<Buffer>) {
      if (trouble.what === 'cut answer' && passed + piece.length > trouble.bytes) {
        await new Promise((resolve) => response.write(piece.subarray(0, trouble.bytes - passed), resolve));
        response.destroy();
        answer.destroy();
        return;
      }
      passed += piece.length;
      response.write(piece);
    }
    response.end();
  }

  #ask(method: string | undefined, path: string | undefined, headers: OutgoingHttpHeaders): ClientRequest {
    return request(`http://${this.#target}${path}`, { method, headers, agent: false });
  }

  /** One write after the other, each held against what the store has. */
  #putInTurn(incoming: IncomingMessage, response: ServerResponse, trouble: BucketTrouble): Promise<void> {
    const work = async (): Promise<void> => {
      const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = incoming.headers;
      if (this.conditions === 'obeyed') {
        const tag = await this.#tagOf(incoming);
        if ((ifNoneMatch === '*' && tag !== undefined) || (ifMatch !== undefined && ifMatch !== tag)) {
          await buffer(incoming);
          response.writeHead(412).end('<Error><Code>PreconditionFailed</Code></Error>');
          return;
        }
      }
      const { 'if-match': _match, 'if-none-match': _none, authorization: _old, ...headers } = incoming.headers;
      await this.#pass(incoming, response, trouble, await this.#sign('PUT', incoming, headers));
    };
    const own = this.#turn.then(work);
    this.#turn = own.catch(() => undefined);
    return own;
  }

  async #tagOf(incoming: IncomingMessage): Promise<string | undefined> {
    const asked = this.#ask('HEAD', incoming.url, await this.#sign('HEAD', incoming, {}));
    asked.end();
    const answer = await answerOf(asked);
    answer.resume();
    return answer.statusCode === 200 ? answer.headers.etag : undefined;
  }

  /** What the client signed has changed, so it is signed again. */
  async #sign(
    method: string,
    { url = '' }: IncomingMessage,
    headers: IncomingHttpHeaders,
  ): Promise<OutgoingHttpHeaders> {
    const { host: _host, 'content-length': length, connection: _connection, ...kept } = headers;
    const signer = new AwsV4Signer({
      ...this.#key,
      method,
      url: `http://${this.#target}${url}`,
      headers: kept as Record<string, string>,
      service: 's3',
      region: 'us-east-1',
    });
    const signed = Object.fromEntries((await signer.sign()).headers.entries());
    return { ...signed, ...(length === undefined ? {} : { 'content-length': length }) };
  }
}

function isConditional({ method, headers }: IncomingMessage): boolean {
  return method === 'PUT' && (headers['if-match'] !== undefined || headers['if-none-match'] !== undefined);
}

function answerOf(outgoing: ClientRequest): Promise<IncomingMessage> {
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.on('response', resolve).on('error', reject),
  );
  answered.catch(() => undefined);
  return answered;
}
