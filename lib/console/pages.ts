import type { IncomingMessage } from 'node:http';
import type { Randomness } from '../domain/clock.js';
import type { Refusal } from '../domain/refusal.js';
import { chooseCoding } from '../http/choose-coding.js';
import type { Exchange } from '../http/exchange.js';
import { nothingRuns, unkept } from '../http/protections.js';
import { requireBounds, requireMethod } from '../http/request-bounds.js';
import { say, sayRefusal, sendReply, type Reply } from '../http/send-reply.js';
import type { OpenFace } from '../http/serve-exchange.js';
import { readBuiltPages, type Asset, type BuiltPages } from './built-pages.js';

const assetsPath = '/console/assets/';
/** A page's address holds what it shows: a search, two versions to compare. */
const bounds = { maxQueryLength: 8 * 1024, maxPairs: 32, maxBodyBytes: 0 } as const;

/** The pages of the console, and the files they load. One page serves every address: its script finds the screen. */
export class ConsolePages implements OpenFace<Reply> {
  readonly name = 'console';
  readonly headers = unkept;
  readonly #randomness: Randomness;
  readonly #base: string;
  #built: Promise<BuiltPages | undefined> | undefined;

  /** @param base a proxy's path prefix, without a slash at its end */
  constructor(randomness: Randomness, base: string) {
    this.#randomness = randomness;
    this.#base = base;
  }

  async answer(exchange: Exchange): Promise<Reply> {
    const { request } = exchange;
    const [path = ''] = (request.url ?? '').split('?', 1);
    const isAsset = path.startsWith(assetsPath);
    exchange.route = isAsset ? `${assetsPath}:name` : '/console';
    requireBounds(request, bounds);
    requireMethod(request, ['GET']);
    this.#built ??= readBuiltPages(this.#base);
    const built = await this.#built;
    if (isAsset) return answerAsset(request, built?.assets.get(path.slice(assetsPath.length)));
    if (built === undefined) return notBuilt;
    return answerPage(built, Buffer.from(this.#randomness.bytes(18)).toString('base64'));
  }

  present(_exchange: Exchange, refusal: Refusal): Reply {
    // Pages that could not be read are read again for the next request.
    if (refusal.code === 'INTERNAL') this.#built = undefined;
    return sayRefusal(refusal);
  }

  send = sendReply;
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

const notBuilt = say(503, 'The pages of the console are not built here. Build them with: npm run build');
