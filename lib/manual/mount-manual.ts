import type { IncomingMessage } from 'node:http';
import type { Randomness } from '../domain/clock.js';
import type { Refusal } from '../domain/refusal.js';
import { chooseCoding } from '../http/choose-coding.js';
import type { Exchange, RequestNotes } from '../http/exchange.js';
import type { MountedFace } from '../http/port.js';
import { nothingRuns, unkept } from '../http/protections.js';
import { queryOf, requireBounds, requireMethod, type RequestBounds } from '../http/request-bounds.js';
import { say, sayRefusal, sendReply, type Reply } from '../http/send-reply.js';
import { serveOpenly, type OpenFace } from '../http/serve-exchange.js';
import { readBuiltManual, type BuiltManual, type ManualFile } from './built-manual.js';
import { showResults } from './show-results.js';

export interface ManualOptions extends RequestNotes {
  readonly randomness: Randomness;
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
  return {
    takes: (path) => path === manualPath || path.startsWith(`${manualPath}/`) || lists.has(path),
    handle: serveOpenly(options, options, new Manual()),
  };
}

class Manual implements OpenFace<Reply> {
  readonly name = 'manual';
  readonly headers = unkept;
  #built: Promise<BuiltManual | undefined> | undefined;

  async answer(exchange: Exchange): Promise<Reply> {
    const { request } = exchange;
    exchange.route = manualPath;
    requireBounds(request, bounds);
    requireMethod(request, ['GET']);
    this.#built ??= readBuiltManual();
    return answer(request, await this.#built);
  }

  present(_exchange: Exchange, refusal: Refusal): Reply {
    // A manual that could not be read is read again for the next request.
    if (refusal.code === 'INTERNAL') this.#built = undefined;
    return sayRefusal(refusal);
  }

  send = sendReply;
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
