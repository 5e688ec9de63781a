import type { Refusal } from '../domain/refusal.js';

/** The message of a refusal, with the time to wait in words: git shows no headers to a person. */
export function retryMessage({ message, retryAfter }: Pick<Refusal, 'message' | 'retryAfter'>): string {
  if (retryAfter === undefined) return message;
  const time = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`;
  return message
    .replace('Wait as Retry-After says', `Wait ${time}`)
    .replace('ry again as Retry-After says', `ry again in ${time}`);
}
