import { until } from '../until.js';

const revision = '2026-07-28';
const envelope = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** What a client asks to hear of. */
export interface Wanted {
  readonly resourceSubscriptions?: readonly string[];
  readonly resourcesListChanged?: boolean;
  readonly toolsListChanged?: boolean;
}

/** One `subscriptions/listen`, read without a library, so that every byte is visible. */
export class McpStream {
  readonly status: number;
  readonly headers: Headers;
  readonly #leaving: AbortController;
  #text = '';
  #isOver = false;

  private constructor(response: Response, leaving: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#leaving = leaving;
  }

  static async open(url: string, key: string, notifications: Wanted, id: number | string = 7): Promise<McpStream> {
    const leaving = new AbortController();
    const method = 'subscriptions/listen';
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': revision,
        'Mcp-Method': method,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { notifications, _meta: envelope } }),
      signal: leaving.signal,
    });
    const stream = new McpStream(response, leaving);
    void stream.#read(response);
    await until('the stream has begun', () => stream.#text !== '' || stream.#isOver);
    return stream;
  }

  async #read(response: Response): Promise<void> {
    try {
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) this.#text += decoder.decode(piece, { stream: true });
    } catch {
      // This client has left, or the connection broke.
    }
    this.#isOver = true;
  }

  /** All that came, byte for byte. */
  get text(): string {
    return this.#text;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get messages(): readonly {
    readonly method?: string;
    readonly params?: Record<string, unknown>;
    readonly result?: object;
  }[] {
    return [...this.#text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
  }

  /** What the service agreed to tell. */
  get honored(): unknown {
    return this.messages[0]?.params?.['notifications'];
  }

  /** What was told, in order: an address, or `the list`. */
  get told(): readonly string[] {
    return this.messages.flatMap(({ method, params }) => {
      if (method === 'notifications/resources/updated') return [String(params?.['uri'])];
      return method === 'notifications/resources/list_changed' ? ['the list'] : [];
    });
  }

  /** Waits until this has been told last. */
  hears(what: string): Promise<boolean> {
    const last = (): string | undefined => this.told.at(-1);
    return until(
      () => `${what} was told; what was told is ${JSON.stringify(this.told)}`,
      () => last() === what,
    );
  }

  ended(): Promise<boolean> {
    return until('the stream has ended', () => this.#isOver);
  }

  leave(): void {
    this.#leaving.abort();
  }
}
