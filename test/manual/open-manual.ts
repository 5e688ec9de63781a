import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { openPort, type Port } from '../../lib/http/port.js';
import { mountManual } from '../../lib/manual/mount-manual.js';
import { keepLog, type LogLine } from '../support/http/log.js';
import { makeTestRandomness } from '../support/store/service.js';

export interface ManualAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

/** The manual on a port of its own, without the rest of the service. */
export class OpenManual {
  readonly #port: Port;
  readonly lines: readonly LogLine[];

  private constructor(port: Port, lines: readonly LogLine[]) {
    this.#port = port;
    this.lines = lines;
  }

  static async open(): Promise<OpenManual> {
    const lines: LogLine[] = [];
    const port = await openPort({
      host: '127.0.0.1',
      port: 0,
      ownPaths: '/none',
      serve: (_, response) => response.writeHead(404).end('another face'),
      explainMalformed: () => ({ headers: {}, text: 'no HTTP' }),
    });
    port.mount(mountManual({ log: keepLog(lines), addressOf: () => '192.0.2.1', randomness: makeTestRandomness() }));
    return new OpenManual(port, lines);
  }

  get url(): string {
    return this.#port.url;
  }

  /** Sends exactly this path: nothing is normalised on the way. */
  send(path: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<ManualAnswer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port: this.#port.port, path, method, headers, agent: false },
        (response) => {
          buffer(response).then((bytes) => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString() });
          }, reject);
        },
      );
      sent.once('error', reject);
      sent.end();
    });
  }

  close(): Promise<void> {
    return this.#port.close(0);
  }
}
