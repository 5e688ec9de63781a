import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Randomness } from '../domain/clock.js';
import { makeIdentifier } from '../domain/identifier.js';
import type { Log } from '../domain/log.js';
import { chooseCoding } from '../http/choose-coding.js';
import { logWhenDone, type RequestNotes } from '../http/log-when-done.js';
import type { MountedFace } from '../http/port.js';
import { nothingRuns, protections } from '../http/protections.js';
import { findExcess, findWrongMethod, queryOf, type RequestBounds } from '../http/request-bounds.js';
import { leaveUnread } from '../http/unread-body.js';
import { readBuiltManual, type BuiltManual, type ManualFile } from './built-manual.js';
import { showResults } from './show-results.js';

export interface ManualOptions extends RequestNotes {
  readonly log: Log;
  readonly randomness: Randomness;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const manualPath = '/docs';
const searchPath = `${manualPath}/search`;
/** Lists for programs, outside the manual's folder: https://llmstxt.org, and the discovery of skills. */
const lists: ReadonlySet<string> = new Set(['/llms.txt', '/.well-known/agent-skills/index.json']);

/** A question of 200 characters takes at most nine bytes for each, and a form adds a name. */
const bounds: RequestBounds = { maxQueryLength: 2048, maxPairs: 8, maxBodyBytes: 0 };

/** A page loads its stylesheet and pictures, and sends its search to this service. No script runs. */
const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
const html = 'text/html; charset=utf-8';
/** A new version of the program brings new pages, so that browsers and proxies ask again soon. */
const shortly = 'public, max-age=300';

/** The manual on the service's port, for everyone: the same bytes with a key and without. */
export function mountManual(options: ManualOptions): MountedFace {
  const manual = new Manual(options);
  return {
    takes: (path) => path === manualPath || path.startsWith(`${manualPath}/`) || lists.has(path),
    handle: (request, response) => void manual.serve(request, response),
  };
}

class Manual {
  readonly #options: ManualOptions;
  #built: Promise<BuiltManual | undefined> | undefined;

  constructor(options: ManualOptions) {
    this.#options = options;
  }

  /** Answers any request. Never throws. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { log, randomness } = this.#options;
    const id = makeIdentifier('req', randomness);
    logWhenDone(this.#options, 'manual', request, response, () => ({ id, route: manualPath }));
    let reply: Reply;
    try {
      const excess = findExcess(request, bounds) ?? findWrongMethod(request, ['GET']);
      if (excess === undefined) {
        this.#built ??= readBuiltManual();
        reply = answer(request, await this.#built);
      } else {
        const allow = excess.allow === undefined ? {} : { Allow: excess.allow };
        reply = say(excess.status, excess.message, allow);
      }
    } catch (error) {
      this.#built = undefined;
      log.error({ id, err: error }, 'A page of the manual could not be sent');
      reply = say(500, 'Something went wrong. That was our fault. Try again in a moment.');
    }
    if (response.destroyed) return;
    leaveUnread(request, response);
    for (const [name, value] of Object.entries({ ...protections, 'X-Request-Id': id, ...reply.headers })) {
      response.setHeader(name, value);
    }
    if (reply.status !== 304) response.setHeader('Content-Length', Buffer.byteLength(reply.body));
    response.writeHead(reply.status);
    response.end(reply.body);
  }
}

function answer(request: IncomingMessage, built: BuiltManual | undefined): Reply {
  const { url = '' } = request;
  const [path = ''] = url.split('?', 1);
  if (built === undefined) return say(503, 'The manual is not built here. Build it with: npm run build');
  // Links in its pages are relative, so that they hold behind a proxy's path too.
  if (path === manualPath) return say(308, 'The manual is at docs/.', { Location: 'docs/' });
  if (path === searchPath) return answerSearch(built, new URLSearchParams(queryOf(url)).get('q') ?? '');
  const file = built.files.get(path);
  if (file !== undefined) return answerFile(request, file);
  return say(404, 'The manual has no page at this address. Its index is at /docs/.');
}

function answerSearch(built: BuiltManual, question: string): Reply {
  return {
    status: 200,
    headers: { 'Content-Type': html, 'Content-Security-Policy': pagePolicy, 'Cache-Control': shortly },
    body: showResults(built, question),
  };
}

function answerFile({ headers }: IncomingMessage, { mediaType, etag, bytes, compressed }: ManualFile): Reply {
  const coding = chooseCoding(headers['accept-encoding']);
  const shorter = coding === undefined ? undefined : compressed.get(coding);
  const isCoded = coding !== undefined && shorter !== undefined;
  // Each form of the bytes has its own validator (RFC 9110, 8.8.3).
  const tag = isCoded ? `${etag.slice(0, -1)}-${coding}"` : etag;
  const common = {
    ETag: tag,
    Vary: 'Accept-Encoding',
    'Cache-Control': shortly,
    'Content-Security-Policy': mediaType === html ? pagePolicy : nothingRuns,
  };
  if (isKnown(headers['if-none-match'], tag)) return { status: 304, headers: common, body: '' };
  return {
    status: 200,
    headers: { ...common, 'Content-Type': mediaType, ...(isCoded ? { 'Content-Encoding': coding } : {}) },
    body: isCoded ? shorter : bytes,
  };
}

/** Whether If-None-Match names the bytes (RFC 9110, 13.1.2). A proxy may have made the validator weak. */
function isKnown(header: string | undefined, etag: string): boolean {
  return header !== undefined && header.split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()));
}

function say(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Reply {
  const plain = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': nothingRuns,
  };
  return { status, headers: { ...plain, ...headers }, body: `${text}\n` };
}
