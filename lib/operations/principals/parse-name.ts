import { invalidRequest } from '../../domain/refusal.js';
import { requireVisible } from '../require-visible.js';

const longest = 200;
/** What is composed may become shorter; a long text is not composed, which takes the square of its length. */
const maxComposedLength = 4 * longest;

/**
 * The name of a principal, group or credential, as people read it.
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
