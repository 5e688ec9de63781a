import { invalidRequest } from './refusal.js';

/** Maximum of a path's characters in a message. */
const maxShown = 100;

/**
 * Finds text that is no Unicode in a value of JSON: text with half of a surrogate pair (`"\ud800"`). UTF-8 has no form
 * for it (RFC 3629 §3). So SQLite, git and a hash would each make something else of it. The names of members count as
 * text. They are not part of the path, as they could not be shown.
 * @param path the place of the value, in the sender's terms
 * @returns the path of the first such text: `edits.3.new_text`; undefined where all text is well-formed
 */
export function findIllFormed(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (!name.isWellFormed()) return path;
    const found = findIllFormed(member, path === '' ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Every face calls this on its parsed input, before any other use.
 * @param whole the name of the value itself, where the fault is in no member of it: `body`
 * @throws Refusal INVALID_REQUEST `bad_field`, with the path in `field`
 */
export function requireWellFormed(value: unknown, whole: string): void {
  const found = findIllFormed(value);
  if (found === undefined) return;
  const field = found === '' ? whole : found.slice(0, maxShown).toWellFormed();
  throw invalidRequest('bad_field', `The field ${field} holds half of a surrogate pair, which is no Unicode text.`, {
    field,
  });
}
