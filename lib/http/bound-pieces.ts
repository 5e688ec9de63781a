import type { IncomingMessage } from 'node:http';

/** Pieces of a body from which on their size is looked at, and the least bytes of one on average. */
const maxSmall = 1000;
const leastAverage = 64;

/**
 * Ends the connection of a body that comes in very many tiny pieces, for example in chunks of one byte. Each piece is a
 * call of the parser, and thousands of them come in one turn of the event loop. No client that we know sends such a body.
 */
export function boundPieces(request: IncomingMessage): void {
  const push = request.push.bind(request);
  let pieces = 0;
  let bytes = 0;
  // The parser hands each piece to this method, whoever reads the body and whether anybody does.
  request.push = (piece: unknown, encoding?: BufferEncoding) => {
    if (piece === null) return push(piece);
    if (request.destroyed) return true;
    pieces += 1;
    bytes += (piece as Buffer).length;
    if (pieces <= maxSmall || bytes >= pieces * leastAverage) return push(piece, encoding);
    request.socket.destroy();
    return true;
  };
}
