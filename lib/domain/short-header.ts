import { invalidRequest } from './refusal.js';

/** Maximum length of a request header that is read. No header of ours needs a quarter of it. UTF-16 units. */
export const maxHeaderLength = 4096;

/**
 * Called before any of the headers is read.
 * @param headers their names in small letters
 * @param names the headers to be read, in their usual spelling
 * @throws Refusal INVALID_REQUEST `bad_field` with the name of one that is too long
 */
export function requireShortHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): void {
  for (const field of names) {
    if ((headers[field.toLowerCase()]?.length ?? 0) <= maxHeaderLength) continue;
    throw invalidRequest('bad_field', `The header ${field} has more than ${maxHeaderLength} characters.`, {
      field,
      limit: maxHeaderLength,
    });
  }
}
