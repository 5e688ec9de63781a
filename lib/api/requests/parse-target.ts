import { invalidRequest, type Refusal } from '../../domain/refusal.js';

/** The two halves of a request target, as sent. */
export interface Target {
  readonly path: string;
  /** Without the question mark; '' when there is none. */
  readonly query: string;
}

/** Splits a request target (RFC 9112 §3.2); the absolute form loses its scheme and host, as a server must accept it. */
export function splitTarget(url: string): Target {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

const outsideAscii = /[^\x21-\x7e]/;
const plausibleName = /^[a-z_]{1,40}$/;

/**
 * Reads a location from a path: percent-decoded, with slashes in either spelling.
 * @throws Refusal INVALID_REQUEST `bad_location` unless it is percent-encoded UTF-8
 */
export function decodeLocation(encoded: string): string {
  try {
    if (!outsideAscii.test(encoded)) return decodeURIComponent(encoded);
  } catch {
    // Falls through: a stray % or invalid UTF-8.
  }
  throw invalidRequest('bad_location', 'The location in the path is not percent-encoded UTF-8.', { field: 'location' });
}

/**
 * Reads a query string strictly: each parameter once, percent-encoded UTF-8, under a possible name.
 * @param nameKnown names the known parameters
 * @throws Refusal INVALID_REQUEST `unknown_field`, `bad_field`
 */
export function parseParameters(query: string, nameKnown: () => readonly string[]): Record<string, string> {
  // Without a prototype, so no name has a meaning of its own.
  const values = Object.create(null) as Record<string, string>;
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    if (!plausibleName.test(name)) throw unknownParameter(name.slice(0, 40), nameKnown());
    if (Object.hasOwn(values, name)) {
      throw invalidRequest('bad_field', `The query parameter ${name} is there more than once.`, { field: name });
    }
    values[name] = decodeValue(name, equals < 0 ? '' : pair.slice(equals + 1));
  }
  return values;
}

function decodeValue(name: string, encoded: string): string {
  try {
    if (!outsideAscii.test(encoded)) return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    // Falls through.
  }
  throw invalidRequest('bad_field', `The query parameter ${name} is not percent-encoded UTF-8.`, { field: name });
}

/**
 * @param known the known names
 * @param field the parameter's bare name, where the message says more
 */
export function unknownParameter(name: string, known: readonly string[], field = name): Refusal {
  return invalidRequest('unknown_field', `There is no query parameter ${name}.`, { field, known });
}
