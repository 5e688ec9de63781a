import { describeCharacter, findHidden, findUnfit } from '../domain/hidden-characters.js';
import { invalidRequest } from '../domain/refusal.js';
import type { RequestPart } from '../domain/refusal-details.js';

/**
 * For names, and for texts on which others rely: the text must be visible as it is. Callers that take only one line
 * check tabs and line feeds themselves.
 * @param part its place in the request, for the message
 * @throws Refusal INVALID_REQUEST `bad_field` with the character and its place
 */
export function requireVisible(text: string, part: RequestPart): void {
  const found = findUnfit(text) ?? findHidden(text);
  if (found === undefined) return;
  const what = `The ${part.input ?? part.field} has ${describeCharacter(found)}, which cannot be seen or misleads the eye.`;
  throw invalidRequest('bad_field', what, { ...part, ...found });
}

/**
 * For texts of several lines sent to others: no control character except tabs and line feeds, and no tag character.
 * @throws Refusal INVALID_REQUEST `bad_field` with the character and its place
 */
export function requirePlain(text: string, part: RequestPart): void {
  const found = findUnfit(text);
  if (found === undefined) return;
  const what = `The ${part.input ?? part.field} has ${describeCharacter(found)}, which no text needs.`;
  throw invalidRequest('bad_field', what, { ...part, ...found });
}
