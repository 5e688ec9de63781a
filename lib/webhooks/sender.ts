import { createHmac } from 'node:crypto';
import type { Clock } from '../domain/clock.js';
import { describeError } from '../domain/describe-error.js';
import type { Log } from '../domain/log.js';
import { invalidRequest } from '../domain/refusal.js';
import { EgressFault } from '../egress/egress-fault.js';
import { HttpClient, requirePrivacy, type HttpAnswer, type HttpMeans } from '../egress/http-client.js';
import { readRetryAfter } from '../egress/retry-after.js';
import type { WebhookMessage, WebhookSender } from '../workspace/webhook-schedule.js';

/** What a secret begins with. */
const secretPrefix = 'whsec_';

/** What the service gives its webhooks. */
export interface SenderMeans extends Pick<HttpMeans, 'resolve' | 'authorities' | 'timeouts'> {
  readonly clock: Clock;
  readonly log: Log;
  /** `host:port` at addresses that are not public. */
  readonly hosts: readonly string[];
}

/** Milliseconds that a receiver may take. It should answer first and work afterwards. */
const usualTimeouts = { head: 15_000, idle: 5000, body: 5000 };
/** Bytes of an answer that may come at once, and characters of it that are stored. The rest is not read. */
const maxAnswerBytes = 256 * 1024;
const maxAnswerLength = 200;
/** Answers that mean that no further attempt makes sense. */
const gone = 410;

/** Sends the messages of webhooks, each once: no redirect is followed, and no address is reached that is not public. */
export function makeSender(means: SenderMeans): WebhookSender {
  const { clock, log, hosts, timeouts = usualTimeouts, ...rest } = means;
  const allowance = { hosts, setting: 'webhook_hosts' } as const;

  async function send({ url: text, id, secrets, body }: WebhookMessage, signal: AbortSignal): Promise<HttpAnswer> {
    const url = new URL(text);
    requirePrivacy(url, allowance);
    const client = new HttpClient(url, { ...rest, clock, allowance, timeouts });
    const at = Math.floor(clock.now() / 1000);
    const headers = { 'content-type': 'application/json', ...signMessage(id, at, body, secrets) };
    try {
      const answer = await client.request({
        method: 'POST',
        url,
        headers,
        body,
        maxBytes: maxAnswerBytes,
        signal,
        isRaw: true,
      });
      return { ...answer, body: closeAfter(answer, client) };
    } catch (error) {
      client.close();
      throw error;
    }
  }

  return {
    async parse(text) {
      const url = parseUrl(text);
      try {
        requirePrivacy(url, allowance);
      } catch {
        throw badUrl(
          'The url has to begin with https://, so that nobody reads along. An operator can allow a host of their own without it by the setting webhook_hosts.',
        );
      }
      return url.href;
    },

    async send(message, signal) {
      const began = clock.elapsed();
      const since = (): number => Math.round(clock.elapsed() - began);
      try {
        const answer = await send(message, signal);
        const { status } = answer;
        const said = await readBeginning(answer);
        const outcome = status >= 200 && status < 300 ? 'delivered' : status === gone ? 'gone' : 'failed';
        const retryAfter = outcome === 'failed' ? readRetryAfter(answer, clock.now()) : undefined;
        return { outcome, status, answer: said, duration: since(), retryAfter };
      } catch (error) {
        return { outcome: 'failed', status: null, answer: why(error), duration: since(), retryAfter: undefined };
      }
    },
  };

  function why(error: unknown): string {
    if (error instanceof EgressFault) return error.message.slice(0, maxAnswerLength);
    if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) {
      return 'The server does not answer in time. It is asked again later.';
    }
    log.error({ cause: describeError(error) }, 'A webhook failed by itself');
    return 'The delivery failed by itself. The log of the service says why.';
  }
}

const badUrl = (message: string) => invalidRequest('bad_field', message, { field: 'url' });

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw badUrl('The url has to begin with https:// and name a host.');
  }
  if (url.username !== '' || url.password !== '') {
    throw badUrl('The url must hold no user name and password. Messages prove by their signature who sends them.');
  }
  url.hash = '';
  return url;
}

async function* closeAfter({ body }: HttpAnswer, client: HttpClient): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* body;
  } finally {
    client.close();
  }
}

/** What the receiver says, on one line. Its status counts, even if the rest of its answer never comes. */
async function readBeginning({ body }: HttpAnswer): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= maxAnswerLength * 4) break;
    }
  } catch {
    // Whatever came is enough.
  }
  const text = Buffer.concat(parts)
    .toString('utf8')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  return text === '' ? null : text.slice(0, maxAnswerLength).toWellFormed();
}

/**
 * The headers of a message by the convention of Standard Webhooks. Each secret signs the id, the time and the body, so
 * that none of them can be exchanged. A receiver needs one signature that it can check.
 * @param secrets in the form `whsec_` and base64
 * @param at seconds since 1970
 */
function signMessage(
  id: string,
  at: number,
  body: string,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const content = `${id}.${at}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signatures.join(' ') };
}
