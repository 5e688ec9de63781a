import type { IncomingMessage } from 'node:http';
import type { Clock } from '../domain/clock.js';
import { EgressFault } from './egress-fault.js';
import { describeNetworkFault } from './describe-network-fault.js';

/** Milliseconds that a server may take. The time in which we do not read does not count. */
export interface Timeouts {
  /** Until the head of its answer. */
  readonly head: number;
  /** Until the next piece of the body. */
  readonly idle: number;
  /** For the body as a whole. */
  readonly body: number;
}

interface Bounds {
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly origin: string;
}

/**
 * The body of an answer, piece by piece, within bounds of size and time.
 * @throws EgressFault `network` where it ends too early or is too slow, `limit` where it is too large
 */
export async function* readBody(
  message: IncomingMessage,
  { clock, timeouts, maxBytes, signal, origin }: Bounds,
): AsyncGenerator<Buffer, void, undefined> {
  const abort = (): void => void message.destroy(signal.reason as Error);
  const pieces = message[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let waited = 0;
  let bytes = 0;
  const next = async (): Promise<IteratorResult<Buffer>> => {
    const began = clock.elapsed();
    const timer = setTimeout(
      () =>
        message.destroy(new EgressFault('network', 'The server sends its answer too slowly. It is asked again later.')),
      Math.min(timeouts.idle, timeouts.body - waited),
    );
    try {
      return await pieces.next();
    } finally {
      clearTimeout(timer);
      waited += clock.elapsed() - began;
    }
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    for (let piece = await next(); piece.done !== true; piece = await next()) {
      bytes += piece.value.length;
      if (bytes > maxBytes) throw new BodyTooLarge();
      yield piece.value;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof EgressFault ? error : describeNetworkFault(error, origin);
  } finally {
    signal.removeEventListener('abort', abort);
    message.on('error', () => undefined).destroy();
  }
}

/** The answer is larger than it may be. */
export class BodyTooLarge extends EgressFault {
  constructor() {
    super('limit', 'An answer of the server is larger than it may be.');
  }
}
