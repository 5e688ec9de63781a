import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.js';
import type { HeaderLines } from './header-lines.js';

/**
 * A client that is still sending is given this much to notice the answer before it is cut off; one that has fallen
 * silent, this long. Milliseconds, bytes.
 */
const timeout = 2000;
const silence = 300;
const maxDiscarded = 16 * 1024 * 1024;

/**
 * Answers while a large body is still coming, then hangs up. The answer goes out whole before anything is closed:
 * closing at once would make the client lose it (RFC 9112 §9.6).
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
