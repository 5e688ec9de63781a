import { describeCharacter, findHidden, findUnfit } from '../domain/hidden-characters.js';
import { invalidRequest } from '../domain/refusal.js';
import type { RequestPart } from '../domain/refusal-details.js';

/**
 * Asked by what becomes a name, or a text that others go by: it looks like what it is. Tabs and line feeds are looked
 * at by who takes one line alone.
 * @param part where it came in; the message names it
 * @throws Refusal INVALID_REQUEST `bad_field` with the character and its place
 */
export function requireVisible(text: string, part: RequestPart): void {
  const found = findUnfit(text) ?? findHidden(text);
  if (found === undefined) return;
  const what = `The ${part.input ?? part.field} has ${describeCharacter(found)}, which cannot be seen or misleads the eye.`;
  throw invalidRequest('bad_field', what, { ...part, ...found });
}

/**
 * Asked by texts of several lines that are sent to others: no control character but tabs and line feeds, and no tag
 * character.
 * @throws Refusal INVALID_REQUEST `bad_field` with the character and its place
 */
export function requirePlain(text: string, part: RequestPart): void {
  const found = findUnfit(text);
  if (found === undefined) return;
  const what = `The ${part.input ?? part.field} has ${describeCharacter(found)}, which no text needs.`;
  throw invalidRequest('bad_field', what, { ...part, ...found });
}
