import { describeError } from '../domain/describe-error.js';
import { readMessage } from './read-message.js';
import { listenMethod, presentRevision, subscriptionKey, versionKey } from './subscription-terms.js';

/** A message, as far as a bridge looks into it. */
export interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly requestId?: unknown;
    readonly notifications?: { readonly resourceSubscriptions?: readonly unknown[] };
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown };
}

/** The answer to one message. */
export interface Delivered {
  readonly status: number;
  /** A message as JSON, or one event of a stream with it; empty where there is none. */
  readonly body: string;
  /** The events of an answer that goes on, in place of the body. */
  readonly events?: AsyncIterable<Uint8Array> | undefined;
}

/**
 * Carries one message to the service and returns its answer.
 * @param stopping for a message whose answer may go on: ends it
 */
export type Deliver = (
  body: string,
  headers: Readonly<Record<string, string>>,
  stopping?: AbortSignal,
) => Promise<Delivered>;

/** Characters of the longest event kept. */
const maxEventLength = 1024 * 1024;
const eventEnd = '\n\n';

/** The messages in a stream of events, as they come. Comments are left out. */
async function* readEvents(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    for (let end = text.indexOf(eventEnd); end >= 0; end = text.indexOf(eventEnd)) {
      const message = readMessage(text.slice(0, end));
      text = text.slice(end + eventEnd.length);
      if (message !== undefined) yield message;
    }
    if (text.length > maxEventLength) return;
  }
}

/** A stream of the service that says what changed. */
interface Listening {
  readonly stopping: AbortController;
  readonly messages: AsyncGenerator<Message>;
  readonly honored: readonly unknown[];
}

interface Bridge {
  readonly deliver: Deliver;
  readonly write: (message: object) => void;
}

/** Milliseconds before the first attempt to listen again, and the longest wait. */
const firstWait = 1000;
const maxWait = 60_000;

/**
 * Carries subscriptions over a pair of streams. A client of the present revision opens streams itself. For one of 2025,
 * the bridge keeps the list of its subscriptions, and one stream of the service for all of them (decision 0240).
 */
export class BridgedListening {
  readonly #bridge: Bridge;
  /** The client's own streams, by the id of their requests. */
  readonly #open = new Map<unknown, AbortController>();
  #wanted: ReadonlySet<string> = new Set();
  #listening: Listening | undefined;
  #serial = 0;
  /** One change of the subscriptions at a time. */
  #turn: Promise<void> = Promise.resolve();
  #waiting: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  /** Ends everything, so that nothing is waited for. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#waiting);
    this.#listening?.stopping.abort();
    for (const stopping of this.#open.values()) stopping.abort();
  }

  /**
   * Carries a request to listen, and all that comes, until the stream ends.
   * @returns the answer where it is none that goes on
   * @throws Error when the service cannot be reached
   */
  async carry(id: unknown, text: string, headers: Readonly<Record<string, string>>): Promise<Delivered | undefined> {
    const { deliver, write } = this.#bridge;
    const stopping = new AbortController();
    this.#open.set(id, stopping);
    try {
      const delivered = await deliver(text, headers, stopping.signal);
      if (delivered.events === undefined) return delivered;
      let isAnswered = false;
      try {
        for await (const message of readEvents(delivered.events)) {
          isAnswered ||= message.id === id;
          write(message);
        }
      } catch {
        // The connection broke. What the client is sent is the same as at any other end.
      }
      if (!isAnswered && !stopping.signal.aborted) write(endOf(id));
      return undefined;
    } catch (error) {
      if (stopping.signal.aborted) return undefined;
      throw error;
    } finally {
      if (this.#open.get(id) === stopping) this.#open.delete(id);
    }
  }

  /** Ends a stream of the client's. @returns false where it has none with that id */
  cancel(id: unknown): boolean {
    const stopping = this.#open.get(id);
    stopping?.abort();
    return stopping !== undefined;
  }

  /** Answers `resources/subscribe` of 2025. */
  subscribe(id: unknown, uri: string): Promise<void> {
    return this.#inTurn(id, async () => {
      if (this.#wanted.has(uri)) return;
      const wanted = new Set([...this.#wanted, uri]);
      const listening = await this.#listen(wanted);
      if (!listening.honored.includes(uri)) {
        listening.stopping.abort();
        throw new Error('The URI is not the address of a document or folder.');
      }
      this.#take(wanted, listening);
    });
  }

  /** Answers `resources/unsubscribe` of 2025. */
  unsubscribe(id: unknown, uri: string): Promise<void> {
    return this.#inTurn(id, async () => {
      if (!this.#wanted.has(uri)) return;
      const wanted = new Set([...this.#wanted].filter((each) => each !== uri));
      this.#take(wanted, wanted.size === 0 ? undefined : await this.#listen(wanted));
    });
  }

  #inTurn(id: unknown, work: () => Promise<void>): Promise<void> {
    const answer = async (): Promise<void> => {
      const { write } = this.#bridge;
      try {
        await work();
        write({ jsonrpc: '2.0', id, result: {} });
      } catch (error) {
        write({ jsonrpc: '2.0', id, error: { code: -32602, message: describeError(error) } });
      }
    };
    this.#turn = this.#turn.then(answer);
    return this.#turn;
  }

  /** Takes a new stream in the place of the present one. Until then, both are open, so nothing is missed. */
  #take(wanted: ReadonlySet<string>, listening: Listening | undefined): void {
    this.#listening?.stopping.abort();
    this.#wanted = wanted;
    this.#listening = listening;
    if (listening !== undefined) void this.#pass(listening);
  }

  /** @throws Error with the service's words where it refuses */
  async #listen(wanted: ReadonlySet<string>): Promise<Listening> {
    this.#serial += 1;
    const stopping = new AbortController();
    const message = listenFor(`bridge-${this.#serial}`, [...wanted]);
    const { status, body, events } = await this.#bridge.deliver(
      JSON.stringify(message),
      listenHeaders,
      stopping.signal,
    );
    if (events === undefined) throw new Refused(status, body);
    const messages = readEvents(events);
    const first = await messages.next();
    const honored = first.done === true ? undefined : first.value.params?.notifications?.resourceSubscriptions;
    return { stopping, messages, honored: honored ?? [] };
  }

  /** Tells the client what the stream says, until it ends. */
  async #pass({ stopping, messages }: Listening): Promise<void> {
    try {
      for await (const { method, params } of messages) {
        if (stopping.signal.aborted) return;
        if (method === updated) this.#tell(params?.uri);
      }
    } catch {
      // The connection broke.
    }
    if (!stopping.signal.aborted) this.#listenAgain(firstWait);
  }

  /** The service has ended the stream, perhaps because it stops. */
  #listenAgain(wait: number): void {
    if (this.#isOver || this.#wanted.size === 0) return;
    this.#waiting = setTimeout(() => {
      this.#turn = this.#turn.then(async () => {
        if (this.#isOver || this.#wanted.size === 0) return;
        try {
          this.#take(this.#wanted, await this.#listen(this.#wanted));
          // Something may have changed meanwhile.
          for (const uri of this.#wanted) this.#tell(uri);
        } catch (error) {
          const isRefusedKey = error instanceof Refused && error.status === 401;
          if (!isRefusedKey) this.#listenAgain(Math.min(2 * wait, maxWait));
        }
      });
    }, wait);
    // It keeps no process alive whose client has gone.
    this.#waiting.unref();
  }

  #tell(uri: unknown): void {
    this.#bridge.write({ jsonrpc: '2.0', method: updated, params: { uri } });
  }
}

const updated = 'notifications/resources/updated';
const listenHeaders = { 'MCP-Protocol-Version': presentRevision, 'Mcp-Method': listenMethod };

/** A request of the bridge's own. */
function listenFor(id: string, resourceSubscriptions: readonly string[]): object {
  const meta = {
    [versionKey]: presentRevision,
    'io.modelcontextprotocol/clientInfo': { name: 'cartulary-bridge', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    jsonrpc: '2.0',
    id,
    method: listenMethod,
    params: { _meta: meta, notifications: { resourceSubscriptions } },
  };
}

/** What ends a stream of the client's that the service did not end in words. */
function endOf(id: unknown): object {
  return { jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: { [subscriptionKey]: id } } };
}

/** The service did not open a stream. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number, body: string) {
    const { error } = (readMessage(body) ?? {}) as Message;
    super(
      typeof error?.message === 'string' ? error.message : `The service does not tell of changes (HTTP ${status}).`,
    );
    this.status = status;
  }
}
