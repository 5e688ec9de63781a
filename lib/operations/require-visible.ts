import { describeCharacter, findHidden, findUnfit } from '../domain/hidden-characters.js';
import { invalidRequest } from '../domain/refusal.js';

/**
 * Asked by what becomes a name, or a text that others go by: it looks like what it is. Tabs and line feeds are looked
 * at by who takes one line alone.
 * @param field the name of the field it came in
 * @throws Refusal INVALID_REQUEST `bad_field` with the character and its place
 */
export function requireVisible(text: string, field: string): void {
  const found = findUnfit(text) ?? findHidden(text);
  if (found === undefined) return;
  const what = `The ${field} has ${describeCharacter(found)}, which cannot be seen or misleads the eye.`;
  throw invalidRequest('bad_field', what, { field, ...found });
}

/**
 * Asked by texts of several lines that are sent to others: no control character but tabs and line feeds, and no tag
 * character.
 * @throws Refusal INVALID_REQUEST `bad_field` with the character and its place
 */
export function requirePlain(text: string, field: string): void {
  const found = findUnfit(text);
  if (found === undefined) return;
  const what = `The ${field} has ${describeCharacter(found)}, which no text needs.`;
  throw invalidRequest('bad_field', what, { field, ...found });
}
