import type { Heading } from './outline.js';
import { invalidRequest } from './refusal.js';

/** Ids that a refusal names at most. */
const mostNamed = 20;

/**
 * The heading that a caller names: by its id, or by its words where only one heading has them.
 * @throws Refusal INVALID_REQUEST `no_such_section`, `section_ambiguous` with the ids that it could be
 */
export function findHeading(headings: readonly Heading[], named: string, field = 'section'): Heading {
  const byId = headings.find(({ id }) => id === named);
  if (byId !== undefined) return byId;
  const words = named.trim().replace(/^#{1,6}\s+/, '');
  const small = words.toLowerCase();
  const exact = findFirst(headings, ({ title }) => title === words);
  const alike = exact.length > 0 ? exact : findFirst(headings, ({ title }) => title.toLowerCase() === small);
  const [heading] = alike;
  if (heading === undefined) {
    throw invalidRequest('no_such_section', 'The document has no such heading. Take its id from the outline.', {
      field,
    });
  }
  if (alike.length === 1) return heading;
  const sections = alike.map(({ id }) => id);
  throw invalidRequest('section_ambiguous', 'Several headings have these words. Name one by its id.', {
    field,
    sections,
  });
}

/** Those for which it holds, as many as a refusal names. */
function findFirst(headings: readonly Heading[], holds: (heading: Heading) => boolean): Heading[] {
  const found: Heading[] = [];
  for (const heading of headings) {
    if (holds(heading)) found.push(heading);
    if (found.length === mostNamed) break;
  }
  return found;
}
