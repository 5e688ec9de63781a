import type { HttpAnswer } from './http-client.js';

const maxSeconds = 24 * 60 * 60;

/**
 * How long an answer asks to wait.
 * @param now milliseconds since 1970
 * @returns seconds, a day at most; undefined where it does not say
 */
export function readRetryAfter({ headers }: Pick<HttpAnswer, 'headers'>, now: number): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  const seconds = /^[0-9]{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 1), maxSeconds);
}
