import { invalidRequest } from '../domain/refusal.js';

const longest = 200;

/**
 * The name of a principal, group or credential, as people read it.
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
export function parseDisplayName(text: string, field = 'name'): string {
  const name = text.trim().normalize('NFC');
  if (name === '' || name.length > longest || /[\p{Cc}\p{Surrogate}]/u.test(name)) {
    throw invalidRequest('bad_field', `The ${field} must be 1 to ${longest} characters without control characters.`, {
      field,
    });
  }
  return name;
}
