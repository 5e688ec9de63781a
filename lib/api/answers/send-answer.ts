import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { Answer, AnswerBody } from './api-answer.js';
import { sendCompressed } from './compress.js';
import type { HeaderLines } from '../../http/header-lines.js';

/**
 * Writes an answer to the connection. Streams wait for their reader and are closed when the reader is gone.
 * @param common headers in front of the answer's own
 * @returns a promise where it does not leave at once
 * @throws any error of opening or reading a stream, by the promise. After the first bytes the connection is broken off,
 * so a part is never taken for the whole.
 */
export function sendAnswer(response: ServerResponse, answer: Answer, common: HeaderLines): void | Promise<void> {
  const { status, headers, body } = answer;
  const lines = common.copy();
  lines.setAll(headers);
  const compressing = sendCompressed(response, answer, lines);
  if (compressing !== undefined) return compressing;
  if (body.form === 'json') {
    // Where the validator checks answers, it has put a method of its own on the response.
    if (Object.hasOwn(response, 'json') && response.req.method !== 'HEAD') {
      begin(response, status, lines);
      (response as Response).json(body.value);
    } else sendText(response, status, lines, body.text ?? JSON.stringify(body.value));
  } else if (body.form === 'bytes') {
    lines.set('Content-Length', String(body.bytes.length));
    lines.writeHead(response, status);
    response.end(body.bytes);
  } else if (body.form === 'none') {
    begin(response, status, lines);
    response.end();
  } else if (response.req.method === 'HEAD') {
    sendHeaders(response, status, lines, body);
  } else return sendStream(response, status, lines, body);
}

async function sendStream(
  response: ServerResponse,
  status: number,
  lines: HeaderLines,
  body: Extract<AnswerBody, { form: 'stream' | 'flow' }>,
): Promise<void> {
  // Opened before the first byte is sent, so its error can still be answered properly.
  const stream = await body.open();
  begin(response, status, lines);
  if (body.form === 'flow') {
    response.setHeader('Content-Type', body.mediaType);
    await pipeline(stream, response);
  } else {
    response.setHeader('Content-Length', body.length);
    await pipeline(stream, (source: Readable) => takePart(source, body.start, body.length), response);
  }
}

/** Answers HEAD with the headers of GET. The stream stays closed. */
function sendHeaders(
  response: ServerResponse,
  status: number,
  lines: HeaderLines,
  body: Extract<AnswerBody, { form: 'stream' | 'flow' }>,
): void {
  if (body.form === 'stream') lines.set('Content-Length', String(body.length));
  else {
    lines.set('Content-Type', body.mediaType);
    body.leave?.();
  }
  lines.writeHead(response, status);
  response.end();
}

/** Nothing is sent by this: another answer can still take this one's place. */
function begin(response: ServerResponse, status: number, lines: HeaderLines): void {
  response.statusCode = status;
  lines.putOn(response);
}

/** @param text JSON, as a string or in UTF-8 */
export function sendText(response: ServerResponse, status: number, lines: HeaderLines, text: string | Buffer): void {
  const isString = typeof text === 'string';
  const length = isString ? Buffer.byteLength(text) : text.length;
  lines.set('Content-Type', 'application/json; charset=utf-8');
  lines.set('Content-Length', String(length));
  lines.writeHead(response, status);
  // Head and body leave in one piece where both are text. Text of ASCII alone is written as it lies in memory.
  response.end(text, isString && length === text.length ? 'latin1' : 'utf8');
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

/**
 * Limits for a client that is still sending: milliseconds in all, milliseconds of silence, and bytes. They leave it
 * time to notice the answer before it is cut off.
 */
const timeout = 2000;
const silence = 300;
const maxDiscarded = 16 * 1024 * 1024;

/**
 * Answers while a large body is still coming, then hangs up. The answer goes out whole before the connection closes.
 * Closing at once would make the client lose it (RFC 9112 §9.6).
 */
export async function answerAndHangUp(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  common: HeaderLines,
): Promise<void> {
  const text = answer.body.form === 'json' ? JSON.stringify(answer.body.value) : '';
  const lines = common.copy();
  lines.setAll(answer.headers);
  lines.set('Content-Type', 'application/json; charset=utf-8');
  lines.set('Content-Length', String(Buffer.byteLength(text)));
  lines.set('Connection', 'close');
  lines.writeHead(response, answer.status);
  response.write(text);
  await discard(request);
  response.end();
}

function discard(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let discarded = 0;
    const done = (): void => {
      clearTimeout(longest);
      clearTimeout(quiet);
      resolve();
    };
    const longest = setTimeout(done, timeout);
    const quiet = setTimeout(done, silence);
    request.on('data', (piece: Buffer) => {
      quiet.refresh();
      discarded += piece.length;
      if (discarded > maxDiscarded) done();
    });
    request.on('end', done).on('close', done).on('error', done);
    request.resume();
  });
}
