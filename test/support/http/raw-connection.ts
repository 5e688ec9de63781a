import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One answer on a raw connection. */
export interface RawAnswer {
  readonly status: number;
  /** The header lines as they came, with the status line. */
  readonly head: string;
  readonly body: string;
}

/** A TCP connection on which a test sends exact bytes, however wrong. Reads answers that state their length. */
export class RawConnection {
  readonly #socket: Socket;
  #received = '';
  #isClosed = false;
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#received += text;
      this.#wake?.();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#isClosed = true;
      this.#wake?.();
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  write(text: string | Buffer): void {
    this.#socket.write(text, 'latin1');
  }

  /** What has come and was not read as an answer. */
  get received(): string {
    return this.#received;
  }

  /** Whether the other side has hung up. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Stops reading: the other side can send as much as the buffers hold. */
  stopReading(): void {
    this.#socket.pause();
  }

  goOnReading(): void {
    this.#socket.resume();
  }

  /** Cuts the connection without a farewell. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  end(): void {
    this.#socket.destroy();
  }

  async closed(): Promise<void> {
    while (!this.#isClosed) await this.#more();
  }

  /** The next answer. @throws Error when the connection ends before it is complete */
  async read(): Promise<RawAnswer> {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n');
      if (end >= 0) {
        const head = this.#received.slice(0, end);
        const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
        const length = status < 200 ? 0 : Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
        const body = this.#received.slice(end + 4, end + 4 + length);
        if (body.length === length) {
          this.#received = this.#received.slice(end + 4 + length);
          return { status, head, body };
        }
      }
      if (this.#isClosed) throw new Error(`The connection ended after: ${this.#received.slice(0, 200)}`);
      await this.#more();
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
