import type { Answer } from './rpc-answer.js';

const streamType = 'text/event-stream';

/**
 * Whether a client takes JSON, and does not ask for a stream by name. The revisions of 2025 want both types in Accept,
 * but many clients send only one, any type at all, or no header. Without the header everything is accepted (RFC 9110
 * §12.5.1).
 */
export function wantsJsonAlone(accept: string | undefined): boolean {
  const ranges = (accept ?? '*/*').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  const takesJson = ranges.some((range) => ['application/json', 'application/*', '*/*', ''].includes(range));
  return takesJson && !ranges.includes(streamType) && !ranges.includes('text/*');
}

/** What the protocol's library wants to read in Accept. Whoever takes JSON alone gets it by `asJson`. */
export const bothForms = `application/json, ${streamType}`;

/** The answer as JSON, where it is a stream of one message. */
export function asJson(answer: Answer): Answer {
  if (answer.headers['Content-Type'] !== streamType || answer.stream !== undefined) return answer;
  const message = /(?:^|\n)data: ([^\n]*)\n/.exec(answer.body)?.[1];
  if (message === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/json' }, body: message };
}
