import { invalidRequest } from './refusal.js';

/** A version id is the SHA of the commit that made it: forty hex digits. */
const versionIdPattern = /^[0-9a-f]{40}$/;
/**
 * What proxies make of our own tags on the way: a weak mark, or the name of the coding they applied inside the quotes.
 * Nothing else is mended: a foreign tag simply never matches.
 */
const tagPattern = /^(?:W\/)?"?([0-9a-f]{40})(?:-(?:gzip|br|deflate))?"?$/;
const opaqueTag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*"$/;
const bareToken = /^[\x21\x23-\x2b\x2d-\x7e]+$/;

export function isVersionId(text: string): boolean {
  return versionIdPattern.test(text);
}

/** The strong entity-tag of a version (RFC 9110 §8.8.3). */
export function formatEtag(versionId: string): string {
  return `"${versionId}"`;
}

/** What If-Match or If-None-Match asks for: anything at all, or one of these version ids. */
export type Precondition = { readonly any: true } | { readonly any: false; readonly versionIds: readonly string[] };

/**
 * Reads If-Match (RFC 9110 §13.1.1): `*`, one tag or a list; our own ids also without quotes.
 * A well-formed tag that is not ours stays in the list's count and matches nothing.
 * @throws Refusal INVALID_REQUEST `bad_field` when it is neither
 */
export function parsePrecondition(header: string, field: 'If-Match' | 'If-None-Match'): Precondition {
  const text = header.trim();
  if (text === '*') return { any: true };
  const versionIds: string[] = [];
  for (const part of text.split(',')) {
    const tag = part.trim();
    const own = tagPattern.exec(tag)?.[1];
    if (own !== undefined) versionIds.push(own);
    else if (!opaqueTag.test(tag) && !bareToken.test(tag)) {
      throw invalidRequest('bad_field', `${field} must be an entity-tag, a list of them, or *.`, { field });
    }
  }
  return { any: false, versionIds };
}

/** Whether the precondition allows acting on the version that is current now. */
export function preconditionHolds(precondition: Precondition, currentVersionId: string): boolean {
  return precondition.any || precondition.versionIds.includes(currentVersionId);
}
