import { request, type OutgoingHttpHeaders } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Parsed } from './server.js';
import { until } from '../until.js';

/** A reader of server-sent events, as far as tests need one. */
export class EventStream {
  readonly #response: IncomingMessage;
  #text = '';

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => void (this.#text += text));
    response.on('error', () => undefined);
  }

  static open(port: number, path: string, headers: OutgoingHttpHeaders): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const sent = { Accept: 'text/event-stream', ...headers };
      request({ host: '127.0.0.1', port, path, headers: sent, agent: false }, (response) =>
        resolve(new EventStream(response)),
      )
        .on('error', reject)
        .end();
    });
  }

  get status(): number {
    return this.#response.statusCode ?? 0;
  }

  get headers(): IncomingMessage['headers'] {
    return this.#response.headers;
  }

  /** Everything that came. */
  get text(): string {
    return this.#text;
  }

  get isOver(): boolean {
    return this.#response.complete || this.#response.destroyed;
  }

  /** The last id that came: where a browser would go on. */
  get lastId(): string {
    return [...this.#text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
  }

  /** The data of the events without a name. */
  get messages(): Parsed[] {
    const events = this.#text.split('\n\n').filter((each) => !/^event:/m.test(each));
    return events.flatMap((each) => /^data: (.*)$/m.exec(each)?.[1] ?? []).map((data) => JSON.parse(data));
  }

  /** Waits for so many messages. */
  messagesToCome(count: number): Promise<Parsed[]> {
    return until(`message ${count} has come`, () => this.messages.length >= count && this.messages);
  }

  ended(): Promise<boolean> {
    return until('the stream has ended', () => this.isOver);
  }

  /** Takes nothing more off the connection. */
  stopReading(): void {
    this.#response.pause();
  }

  goOnReading(): void {
    this.#response.resume();
  }

  leave(): void {
    this.#response.destroy();
  }
}
