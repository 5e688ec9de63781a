import { decodeHTMLStrict } from 'entities/decode';
import { isInLine } from '../../domain/html-elements.js';

/** A tag is no longer, else it is none. */
const maxTagLength = 1_000;
const tagName = /<(?:\/?([a-z][a-z0-9.:-]*)(?=[\s/>])|[!?])/iy;
const entity = /&(?:#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z][a-z0-9]{1,31});/iy;

/** The match at this place. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The entity at this place, decoded; undefined where there is none. */
export function readEntity(text: string, at: number): { readonly length: number; readonly text: string } | undefined {
  const found = matchAt(entity, text, at)?.[0];
  if (found === undefined) return undefined;
  const decoded = decodeHTMLStrict(found);
  return decoded === found ? undefined : { length: found.length, text: decoded };
}

/**
 * Finds the next occurrence of signs in a text. The search for each goes on from where it was, so that a text of
 * unclosed marks costs no more than any other of its length.
 */
export class Closings {
  readonly #text: string;
  readonly #next = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  /** @param from rises from call to call @returns infinity where there is none */
  after(sign: string, from: number): number {
    let at = this.#next.get(sign) ?? -1;
    if (at >= from) return at;
    at = this.#text.indexOf(sign, from);
    if (at < 0) at = Number.POSITIVE_INFINITY;
    this.#next.set(sign, at);
    return at;
  }
}

/** The end of the tag or comment that begins here, what is shown for it, and the element that it opens. */
export function readTag(
  text: string,
  at: number,
  closings: Closings,
): { readonly end: number; readonly text: string; readonly opens: string } | undefined {
  const start = matchAt(tagName, text, at);
  if (start === null) return undefined;
  if (text.startsWith('<!--', at)) {
    const end = closings.after('-->', at + 4) + 3;
    return end < Number.POSITIVE_INFINITY ? { end, text: '', opens: '' } : undefined;
  }
  const end = closings.after('>', at + 1) + 1;
  if (end - at > maxTagLength) return undefined;
  const name = start[1]?.toLowerCase() ?? '';
  return { end, text: name === '' || isInLine(name) ? '' : ' ', opens: text.charAt(at + 1) === '/' ? '' : name };
}

/** Where the tag begins within which the place stands; undefined where it stands in none. */
export function startOfTag(text: string, place: number): number | undefined {
  const before = text.slice(Math.max(0, place - maxTagLength), place);
  const start = before.lastIndexOf('<');
  if (start < 0 || before.includes('>', start)) return undefined;
  const at = place - before.length + start;
  return (readTag(text, at, new Closings(text))?.end ?? 0) > place ? at : undefined;
}
