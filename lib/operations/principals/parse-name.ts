import { invalidRequest } from '../../domain/refusal.js';
import { requireVisible } from '../require-visible.js';

const longest = 200;
/** Composing may shorten a text. A long text is not composed, because composing takes the square of its length. */
const maxComposedLength = 4 * longest;

/**
 * The display name of a principal, group or credential.
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
export function parseDisplayName(text: string, field = 'name'): string {
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
