import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Response } from 'express';
import type { Answer } from './answer.js';

/**
 * Writes an answer to the connection. Streams wait for their reader and are let go when the reader is gone.
 * @throws what opening or reading a stream throws; after the first bytes the connection is broken off, so that a part
 *   is never taken for the whole
 */
export async function sendAnswer(response: Response, { status, headers, body }: Answer): Promise<void> {
  // The stream is opened before anything is sent: what it throws can still be answered properly.
  const stream = body.form === 'stream' ? await body.open() : undefined;
  response.status(status);
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'Vary') response.vary(value);
    else response.setHeader(name, value);
  }
  switch (body.form) {
    case 'none':
      response.end();
      return;
    case 'json':
      // The validator, where it looks at answers, has put a method of its own on the response.
      if (body.text === undefined || Object.hasOwn(response, 'json')) response.json(body.value);
      else sendText(response, body.text);
      return;
    case 'bytes':
      response.setHeader('Content-Length', body.bytes.length);
      response.end(body.bytes);
      return;
    case 'flow':
      await pipeline(body.open(), response);
      return;
    case 'stream':
      if (stream === undefined) return;
      response.setHeader('Content-Length', body.length);
      await pipeline(stream, (source: Readable) => takePart(source, body.start, body.length), response);
  }
}

const departures = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE']);

/** Whether sending failed because nobody is there any more, which is no fault of the service. */
export function isReaderGone(error: unknown): boolean {
  return departures.has(String((error as NodeJS.ErrnoException | null)?.code));
}

/**
 * Replaces an application's `response.json`, which makes a second buffer of the text and looks at settings that nobody
 * set. It stays a method of the response because that is where the validator looks at answers.
 */
export function replaceJson(app: Express): void {
  app.response.json = function json(this: Response, value?: unknown): Response {
    const text = JSON.stringify(value);
    this.setHeader('Content-Type', 'application/json; charset=utf-8');
    this.setHeader('Content-Length', Buffer.byteLength(text));
    // Head and body leave in one piece where both are text.
    this.end(this.req.method === 'HEAD' ? '' : text, 'utf8');
    return this;
  };
}

function sendText(response: Response, text: Buffer): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', text.length);
  response.end(text);
}

async function* takePart(source: Readable, start: number, length: number): AsyncGenerator<Buffer> {
  let skip = start;
  let left = length;
  for await (const piece of source as AsyncIterable<Buffer>) {
    const part = piece.subarray(skip, skip + left);
    skip = Math.max(0, skip - piece.length);
    left -= part.length;
    if (part.length > 0) yield part;
    if (left === 0) return;
  }
}
