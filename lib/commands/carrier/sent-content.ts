import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { Socket } from 'node:net';

/*
 * The content of a `put` follows its request on the socket: lines of base64, and an empty line as the end. A sender
 * that dies closes the socket too, so the end is said: a part of a file never becomes a version.
 */

/** Bytes of content in one line, of which base64 makes whole groups. */
export const pieceLength = 48 * 1024;

/** Characters of the longest line that is taken. */
const maxLineLength = 128 * 1024;

/** Content in pieces of at most `pieceLength` bytes. */
export function* cutContent(bytes: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceLength) {
    const piece = bytes.subarray(at, at + pieceLength);
    yield Buffer.from(piece.buffer, piece.byteOffset, piece.length);
  }
}

/** Sends content behind a request. It waits where the receiver is slow, and stops when the receiver has closed. */
export async function sendContent(socket: Socket, content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const bytes of content) {
    for (const piece of cutContent(bytes)) {
      if (socket.destroyed) return;
      if (!socket.write(`${piece.toString('base64')}\n`))
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    }
  }
  if (!socket.destroyed) socket.write('\n');
}

/**
 * The content behind a request. Nothing is read before it is asked for, so that a sender waits in its own process.
 * @param socket paused, with text as its encoding
 * @param rest what came with the request
 * @throws the reason of the signal, where the sender leaves before the end
 */
export async function* readContent(
  socket: Socket,
  rest: string,
  gone: AbortController,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let text = rest;
  try {
    for (;;) {
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        if (end === 0) return;
        yield Buffer.from(text.slice(0, end), 'base64');
        text = text.slice(end + 1);
      }
      if (text.length > maxLineLength) gone.abort();
      signal.throwIfAborted();
      text += await nextPiece(socket, gone, signal);
    }
  } finally {
    // What still comes is dropped, and the end of the connection is seen.
    socket.resume();
  }
}

async function nextPiece(socket: Socket, gone: AbortController, signal: AbortSignal): Promise<string> {
  for (;;) {
    const piece = socket.read() as string | null;
    if (piece !== null) return piece;
    if (socket.destroyed || socket.readableEnded) gone.abort();
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const events = ['readable', 'end', 'close'] as const;
      const go = (): void => {
        for (const event of events) socket.off(event, go);
        signal.removeEventListener('abort', go);
        resolve();
      };
      for (const event of events) socket.on(event, go);
      signal.addEventListener('abort', go);
    });
  }
}
