import type { Precondition } from '../../domain/etag.js';
import { invalidRequest } from '../../domain/refusal.js';

/**
 * Our own tags after changes by proxies: a weak mark, or the name of their coding inside the quotes. Nothing else is
 * repaired: a foreign tag simply never matches.
 */
const tagPattern = /^(?:W\/)?"?([0-9a-f]{40})(?:--?(?:gzip|br|deflate))?"?$/;
/**
 * One element of a list and the comma behind it: a tag in quotes, commas included; our own id bare; or nothing. Empty
 * elements are skipped (RFC 9110 §5.6.1). Blanks behind the tag are matched only where a tag is: two adjacent runs of
 * blanks would take the square of their length.
 */
const element = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*"|[\x21\x23-\x2b\x2d-\x7e]+)[ \t]*)?(?:,|$)/y;

/**
 * Reads If-Match (RFC 9110 §13.1.1): `*`, one tag or a list; our own ids also without quotes. A well-formed foreign tag
 * stays in the list's count and matches nothing.
 * @throws Refusal INVALID_REQUEST `bad_field` for any other text
 */
export function parsePrecondition(header: string, field: 'If-Match' | 'If-None-Match'): Precondition {
  const text = header.trim();
  if (text === '*') return { any: true };
  const tags = splitList(text);
  if (tags === undefined) {
    throw invalidRequest('bad_field', `${field} must be an entity-tag, a list of them, or *.`, { field });
  }
  const versionIds = tags.flatMap((tag) => tagPattern.exec(tag)?.[1] ?? []);
  return { any: false, versionIds };
}

/** @returns undefined when it is no list, or one without any tag */
function splitList(text: string): string[] | undefined {
  const tags: string[] = [];
  for (let at = 0; at < text.length; at = element.lastIndex) {
    element.lastIndex = at;
    const found = element.exec(text);
    if (found === null) return undefined;
    if (found[1] !== undefined) tags.push(found[1]);
  }
  return tags.length === 0 ? undefined : tags;
}
