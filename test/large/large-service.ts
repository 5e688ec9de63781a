import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStream } from '../support/http/event-stream.js';
import { WatchedProgram } from '../support/processes/event-loop.js';
import type { Parsed } from '../support/http/server.js';
import { until } from '../support/until.js';
import type { LargeFacts } from './serve-large.js';

/** What one piece of work took. Milliseconds of processor time. */
export interface Measured {
  readonly held: number;
  readonly used: number;
}

/** A service with a folder of many documents, in a process of its own with a watched event loop. */
export class LargeService {
  readonly count: number;
  readonly facts: LargeFacts;
  /** A folder that its connectors may read. */
  readonly outside: string;
  readonly #program: WatchedProgram<LargeFacts>;
  #serial = 0;

  private constructor(count: number, outside: string, program: WatchedProgram<LargeFacts>) {
    this.count = count;
    this.outside = outside;
    this.#program = program;
    this.facts = program.facts;
  }

  static async start(count: number): Promise<LargeService> {
    const outside = await mkdtemp(join(tmpdir(), 'cartulary-large-'));
    const address = new URL('serve-large.js', import.meta.url);
    return new LargeService(count, outside, await WatchedProgram.start<LargeFacts>(address, String(count), outside));
  }

  async send(method: string, path: string, body?: unknown): Promise<Parsed> {
    this.#serial += 1;
    const headers = {
      authorization: `Bearer ${this.facts.key}`,
      'content-type': 'application/json',
      'idempotency-key': `large-${this.#serial}`,
      'if-match': '*',
    };
    const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`http://127.0.0.1:${this.facts.port}${path}`, sent);
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return response.headers.get('content-type')?.startsWith('application/json') === true ? JSON.parse(text) : text;
  }

  /** Measures work with what it leaves behind, such as its part of the search index. */
  async measure(work: () => Promise<unknown>): Promise<Measured> {
    await this.#quiet();
    const { held, used } = await this.#program.watch(async () => {
      await work();
      await this.send('GET', '/v1/search?q=nothing');
    });
    return { held, used };
  }

  /** Waits until it has nothing to do. */
  async #quiet(): Promise<void> {
    await until('the service rests', async () => {
      const { used } = await this.#program.watch(() => new Promise((resolve) => setTimeout(resolve, 100)));
      return used < 20;
    });
  }

  /** Follows the feed as a stream until so many items have come. */
  async followFeed(query: string, items: number): Promise<void> {
    const headers = { Authorization: `Bearer ${this.facts.key}` };
    const stream = await EventStream.open(this.facts.port, `/v1/changes?${query}`, headers);
    try {
      await until('the stream is current', () => stream.text.split('\ndata: ').length > items);
    } finally {
      stream.leave();
    }
  }

  /** Writes every file of the source anew. */
  async writeSource(text: string): Promise<void> {
    const source = join(this.outside, 'source');
    for (let index = 0; index < this.count; index += 1) await writeFile(join(source, `${index}.md`), `${text}\n`);
  }

  async close(): Promise<void> {
    await this.#program.close();
    await rm(this.outside, { recursive: true, force: true });
  }
}
