/** A worker thread's program: finds lines in texts, one text at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import { describeError } from '../domain/describe-error.js';
import { startStopwatch } from '../scheduling/start-stopwatch.js';
import { decodeText } from '../text/charset.js';
import { signLines } from './text-signature.js';
import { findLines, type LinesAsked, type LinesFound } from './find-lines.js';
import type { LineMatcher, LineQuery } from './line-query.js';
import { matchExact } from './match-exact.js';
import { compilePattern, PatternFault } from './compile-pattern.js';

/** A text as it is stored. */
export interface StoredText {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly isMarkdown: boolean;
}

export type LinesRequest =
  /** Begins a search. */
  | { readonly query: LineQuery }
  /** Goes on with it in a text, for so many milliseconds. */
  | {
      readonly text: StoredText;
      readonly asked: LinesAsked;
      readonly milliseconds: number;
      /** Whether the text's signature is wanted, too. */
      readonly isSigned: boolean;
    };

export interface LinesAnswer {
  /** How long the thread was busy with the request. */
  readonly milliseconds: number;
  readonly found?: LinesFound;
  /** Only where it was wanted, and there was time. */
  readonly signature?: Uint32Array | undefined;
  /** The pattern is not taken. */
  readonly fault?: { readonly message: string; readonly position: number | null };
  /** The thread failed. */
  readonly failed?: string;
}

/** What the thread is started with: the first unit is not 0 when it has to stop. */
export interface ThreadData {
  readonly stop: SharedArrayBuffer;
}

const stop = new Int32Array((workerData as ThreadData).stop);

let matcher: LineMatcher = matchExact('');

function serve(request: LinesRequest, elapsed: () => number): Omit<LinesAnswer, 'milliseconds'> {
  if ('query' in request) {
    const { match, text } = request.query;
    matcher = match === 'exact' ? matchExact(text) : compilePattern(text);
    return {};
  }
  const { text, asked, milliseconds, isSigned } = request;
  const { bytes } = text;
  const read = decodeText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), text.mediaType);
  const isOver = (): boolean => Atomics.load(stop, 0) !== 0 || elapsed() >= milliseconds;
  const found = findLines(read, text.isMarkdown, matcher, asked, isOver);
  // One whose time is over is signed the next time.
  return isSigned && !isOver() ? { found, signature: signLines(read) } : { found };
}

function answer(request: LinesRequest): LinesAnswer {
  const elapsed = startStopwatch();
  const timed = (said: Omit<LinesAnswer, 'milliseconds'>): LinesAnswer => ({
    ...said,
    milliseconds: elapsed(),
  });
  try {
    return timed(serve(request, elapsed));
  } catch (error) {
    if (!(error instanceof PatternFault)) return timed({ failed: describeError(error) });
    const { message, position } = error;
    return timed({ fault: { message, position } });
  }
}

parentPort?.on('message', (request: LinesRequest) => parentPort?.postMessage(answer(request), []));
