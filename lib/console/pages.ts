import type { IncomingMessage, ServerResponse } from 'node:http';
import { makeIdentifier } from '../domain/identifier.js';
import { chooseCoding } from '../http/choose-coding.js';
import { logWhenDone } from '../http/log-when-done.js';
import { nothingRuns, protections } from '../http/protections.js';
import { findExcess, findWrongMethod } from '../http/request-bounds.js';
import { leaveUnread } from '../http/unread-body.js';
import { readBuiltPages, type Asset, type BuiltPages } from './built-pages.js';
import type { ConsoleDependencies, ConsoleOptions } from './dependencies.js';

const assetsPath = '/console/assets/';
/** A page's address holds what it shows: a search, two versions to compare. */
const bounds = { maxQueryLength: 8 * 1024, maxPairs: 32, maxBodyBytes: 0 } as const;

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The pages of the console, and the files they load. One page serves every address: its script finds the screen. */
export class ConsolePages {
  readonly #dependencies: ConsoleDependencies;
  readonly #options: ConsoleOptions;
  readonly #base: string;
  #built: Promise<BuiltPages | undefined> | undefined;

  /** @param base a proxy's path prefix, without a slash at its end */
  constructor(dependencies: ConsoleDependencies, options: ConsoleOptions, base: string) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#base = base;
  }

  /** Answers any request. Never throws. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { randomness } = this.#dependencies;
    const id = makeIdentifier('req', randomness);
    const [path = ''] = (request.url ?? '').split('?', 1);
    const isAsset = path.startsWith(assetsPath);
    const route = isAsset ? `${assetsPath}:name` : '/console';
    logWhenDone(this.#options, 'console', request, response, () => ({ id, route }));
    let reply: Reply;
    try {
      this.#built ??= readBuiltPages(this.#base);
      const built = await this.#built;
      const excess = findExcess(request, bounds) ?? findWrongMethod(request, ['GET']);
      if (excess !== undefined) {
        const allow = excess.allow === undefined ? {} : { Allow: excess.allow };
        reply = say(excess.status, excess.message, allow);
      } else if (isAsset) reply = answerAsset(request, built?.assets.get(path.slice(assetsPath.length)));
      else if (built === undefined) reply = notBuilt;
      else reply = answerPage(built, Buffer.from(randomness.bytes(18)).toString('base64'));
    } catch (error) {
      this.#built = undefined;
      this.#options.log.error({ id, err: error }, 'A page of the console could not be sent');
      reply = say(500, 'Something went wrong. That was our fault. Try again in a moment.');
    }
    if (response.destroyed) return;
    leaveUnread(request, response);
    for (const [name, value] of Object.entries({ ...protections, 'X-Request-Id': id, ...reply.headers })) {
      response.setHeader(name, value);
    }
    response.setHeader('Content-Length', Buffer.byteLength(reply.body));
    response.writeHead(reply.status);
    response.end(reply.body);
  }
}

/** The page, with a nonce for the styles that its editor makes. */
function answerPage({ page }: BuiltPages, nonce: string): Reply {
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': [
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types dompurify',
      ].join('; '),
    },
    body: page(nonce),
  };
}

/** A file under a name with its own hash: it never changes. */
function answerAsset({ headers }: IncomingMessage, asset: Asset | undefined): Reply {
  if (asset === undefined) return say(404, 'There is nothing at this address.');
  const coding = chooseCoding(headers['accept-encoding']);
  const compressed = coding === undefined ? undefined : asset.compressed.get(coding);
  return {
    status: 200,
    headers: {
      'Content-Type': asset.mediaType,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': nothingRuns,
      Vary: 'Accept-Encoding',
      ...(coding === undefined || compressed === undefined ? {} : { 'Content-Encoding': coding }),
    },
    body: compressed ?? asset.bytes,
  };
}

function say(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Reply {
  const plain = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': nothingRuns,
  };
  return { status, headers: { ...plain, ...headers }, body: `${text}\n` };
}

const notBuilt = say(503, 'The pages of the console are not built here. Build them with: npm run build');
