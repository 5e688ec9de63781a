import type { IncomingMessage, ServerResponse } from 'node:http';
import { BeyondBounds, countPairs, type RequestBounds } from './request-bounds.js';

/**
 * Invites a client with `Expect: 100-continue` (RFC 9110 §10.1.1) to send its body. Called only when the body is
 * wanted.
 */
export function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
}

/** The length in bytes that the headers state; 0 where they state none. */
export function statedLength({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? '0');
}

/**
 * The body's pieces as they come. Stopping early leaves the connection whole, so an answer can still be sent.
 * @param explain makes the error for a client that breaks off; the system's error when left out
 */
export async function* readPieces(
  request: IncomingMessage,
  explain?: (cause: unknown) => Error,
): AsyncGenerator<Buffer> {
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false })) yield piece as Buffer;
  } catch (error) {
    throw explain === undefined ? error : explain(error);
  }
}

/** Joins pieces as they come: joining sixty megabytes at the end takes a while. */
export class GatheredBytes {
  #bytes: Buffer;
  length = 0;

  /** @param expected how many bytes will come; more may come */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected);
  }

  add(piece: Uint8Array): void {
    const end = this.length + piece.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.length);
    this.length = end;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }
}

/** How `gatherBody` judges what comes. */
export interface Gathering {
  /** Bytes that the headers state. */
  readonly stated: number;
  /**
   * Called before a piece is kept, with the bytes before it and with it; reading rests while it waits. Never called
   * again before it is done.
   * @throws what the body is refused with
   */
  readonly admit: (before: number, after: number) => Promise<void> | undefined;
  /** Makes the error for a client that breaks off; the system's error when left out. */
  readonly explain?: (cause: unknown) => Error;
}

/**
 * Reads a body whole, by the request's events: an iterator over the request costs more than all else that a short body
 * needs. A refusal leaves the connection whole, so an answer can still be sent.
 */
export function gatherBody(request: IncomingMessage, { stated, admit, explain }: Gathering): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gathered = new GatheredBytes(stated);
    /** Set while `admit` waits: what it takes has to be known before the request ends in any way. */
    let isWaiting = false;
    let broken: { readonly cause: unknown } | undefined;
    const stop = (): void => {
      request.off('data', take).off('end', end).off('error', breakOff).off('close', close);
    };
    const refuse = (error: Error): void => {
      stop();
      request.pause();
      reject(error);
    };
    const breakOff = (cause: unknown): void => {
      broken = { cause };
      if (!isWaiting) refuse(explain === undefined ? (cause as Error) : explain(cause));
    };
    const close = (): void => breakOff(new Error('The request was closed before its end.'));
    const end = (): void => {
      stop();
      resolve(gathered.bytes());
    };
    const waitAndKeep = async (waiting: Promise<void>, piece: Buffer): Promise<void> => {
      isWaiting = true;
      request.pause();
      await waiting;
      isWaiting = false;
      gathered.add(piece);
      if (broken === undefined) request.resume();
      else breakOff(broken.cause);
    };
    const take = (piece: Buffer): void => {
      try {
        const waiting = admit(gathered.length, gathered.length + piece.length);
        if (waiting === undefined) gathered.add(piece);
        else waitAndKeep(waiting, piece).catch(refuse);
      } catch (error) {
        refuse(error as Error);
      }
    };
    if (request.readableEnded) end();
    else if (request.destroyed) close();
    else request.on('error', breakOff).on('close', close).on('end', end).on('data', take);
  });
}

/**
 * Reads a body whole. A client with `Expect: 100-continue` is invited to send it.
 * @throws BeyondBounds before reading where the stated length is too large, else as soon as the excess is known; the
 * system's error when the client breaks off
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBodyBytes }: Pick<RequestBounds, 'maxBodyBytes'>,
): Promise<Buffer> {
  const stated = statedLength(request);
  if (stated > maxBodyBytes) throw tooLarge(maxBodyBytes);
  inviteBody(request, response);
  return gatherBody(request, {
    stated,
    admit: (_, after) => {
      if (after > maxBodyBytes) throw tooLarge(maxBodyBytes);
      return undefined;
    },
  });
}

function tooLarge(maxBodyBytes: number): BeyondBounds {
  return new BeyondBounds({ status: 413, message: `The body is too large: at most ${maxBodyBytes} bytes are read.` });
}

/** The media type of the body without its parameters, in small letters; undefined where none is named. */
export function mediaTypeOf(contentType: string | undefined): string | undefined {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase();
}

/** Whether the headers call the body a form. */
export function isForm({ headers }: IncomingMessage): boolean {
  return mediaTypeOf(headers['content-type']) === 'application/x-www-form-urlencoded';
}

/**
 * @returns the form's fields
 * @throws BeyondBounds before anything is parsed
 */
export function parseForm(body: Buffer, { maxPairs }: Pick<RequestBounds, 'maxPairs'>): URLSearchParams {
  const text = body.toString();
  if (countPairs(text) > maxPairs) {
    const message = `The form has too many fields: at most ${maxPairs} are read.`;
    throw new BeyondBounds({ status: 413, message });
  }
  return new URLSearchParams(text);
}
