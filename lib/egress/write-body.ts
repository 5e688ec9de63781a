import type { ClientRequest } from 'node:http';

/** A body that is sent while it is read, so that it takes little memory. */
export interface StreamedBody {
  /** Its length, which is announced. */
  readonly bytes: number;
  /** Begins from its start. It is called again where the request is sent again. */
  open(): AsyncIterable<Uint8Array>;
}

/** The body is not as long as was announced. */
class WrongLength extends Error {
  constructor(sent: number, bytes: number) {
    super(`The body has ${sent > bytes ? 'more than ' : ''}${sent} bytes instead of ${bytes}.`);
  }
}

/**
 * Sends the body as fast as the server takes it. A server that answers before it has all gets no more of it, and the
 * connection ends with its answer.
 * @param onProgress called for each piece that the connection took
 * @throws what the body throws; an error where it has another length than was announced
 */
export async function writeBody(request: ClientRequest, body: StreamedBody, onProgress: () => void): Promise<void> {
  let isOver = false;
  let wake = (): void => undefined;
  request.once('response', (message) => {
    isOver = true;
    wake();
    message.once('close', () => {
      if (!request.writableEnded) request.destroy();
    });
  });
  request.once('close', () => {
    isOver = true;
    wake();
  });
  request.on('drain', () => wake());
  let sent = 0;
  for await (const piece of body.open()) {
    if (isOver) return;
    sent += piece.length;
    if (sent > body.bytes) throw new WrongLength(sent, body.bytes);
    if (!request.write(piece)) await new Promise<void>((resolve) => (wake = resolve));
    if (isOver) return;
    onProgress();
  }
  if (sent < body.bytes) throw new WrongLength(sent, body.bytes);
  request.end();
}
