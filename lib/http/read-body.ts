import type { IncomingMessage, ServerResponse } from 'node:http';
import { countPairs, type Excess, type RequestBounds } from './request-bounds.js';

/** A body, or the form in it, is more than its route takes. */
export class ExcessiveBody extends Error {
  override readonly name = 'ExcessiveBody';
  readonly excess: Excess;

  constructor(message: string) {
    super(message);
    this.excess = { status: 413, message };
  }
}

/**
 * Reads a body whole. A client that asked first (RFC 9110 §10.1.1) is told to go on.
 * @throws ExcessiveBody as soon as it is known; Error when the client has gone
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBodyBytes }: Pick<RequestBounds, 'maxBodyBytes'>,
): Promise<Buffer> {
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > maxBodyBytes) {
      throw new ExcessiveBody(`The body is too large: at most ${maxBodyBytes} bytes are read.`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const formType = 'application/x-www-form-urlencoded';

/** Whether the body is said to be a form. */
export function isForm({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === formType;
}

/**
 * @returns the form's fields
 * @throws ExcessiveBody before anything is parsed
 */
export function parseForm(body: Buffer, { maxPairs }: Pick<RequestBounds, 'maxPairs'>): URLSearchParams {
  const text = body.toString();
  if (countPairs(text) > maxPairs) {
    throw new ExcessiveBody(`The form has too many fields: at most ${maxPairs} are read.`);
  }
  return new URLSearchParams(text);
}
