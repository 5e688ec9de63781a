import type { IncomingMessage } from 'node:http';
import express, { type Request } from 'express';

/**
 * Makes the function that finds a client's address behind the proxies that are trusted, and only behind those.
 * @param trustProxy their number, or which
 */
export function makeAddressFinder(trustProxy: number | readonly string[]): (request: IncomingMessage) => string {
  const app = express();
  app.set('trust proxy', trustProxy === 0 ? false : trustProxy);
  return (request) => {
    // Express reads it off a request of its own kind; this one looks through to the one that came.
    const seen = Object.create(app.request, { app: { value: app }, headers: { value: request.headers } }) as Request;
    Object.defineProperties(seen, { socket: { value: request.socket }, connection: { value: request.socket } });
    return seen.ip ?? '';
  };
}
