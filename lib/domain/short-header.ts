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
  if (!hasLong(headers)) return;
  for (const field of names) {
    if ((headers[field.toLowerCase()]?.length ?? 0) <= maxHeaderLength) continue;
    throw invalidRequest('bad_field', `The header ${field} has more than ${maxHeaderLength} characters.`, {
      field,
      limit: maxHeaderLength,
    });
  }
}

/** Whether any header is too long, whoever reads it: most requests have none, and few headers. */
function hasLong(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  for (const name in headers) if ((headers[name]?.length ?? 0) > maxHeaderLength) return true;
  return false;
}
