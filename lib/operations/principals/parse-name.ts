import { invalidRequest } from '../../domain/refusal.js';
import { requireVisible } from '../require-visible.js';

const maxNameLength = 200;
/** A title stands in a narrow column, and at the head of what agents read. */
const maxTitleLength = 80;

/**
 * The display name of a principal, group or credential.
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
export function parseDisplayName(text: string, field = 'name'): string {
  return parseLine(text, field, maxNameLength);
}

/**
 * The title of a workspace.
 * @returns null for its own name, which is no title of its own
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
export function parseWorkspaceTitle(text: string, workspace: string, field: string): string | null {
  const title = parseLine(text, field, maxTitleLength);
  return title === workspace ? null : title;
}

/** @param longest characters */
function parseLine(text: string, field: string, longest: number): string {
  // Composing may shorten a text. A long text is not composed, because composing takes the square of its length.
  const maxComposedLength = 4 * longest;
  const trimmed = text.trim();
  const name = trimmed.length > maxComposedLength ? '' : trimmed.normalize('NFC');
  if (name === '' || name.length > longest || /[\t\n\p{Surrogate}]/u.test(name)) {
    throw invalidRequest('bad_field', `The ${field} must be 1 to ${longest} characters without control characters.`, {
      field,
    });
  }
  requireVisible(name, { field });
  return name;
}
