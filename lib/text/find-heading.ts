import { likenessTo } from './measure-likeness.js';
import { hyphenate, type Heading } from './outline.js';
import { invalidRequest } from '../domain/refusal.js';

/** Maximum of ids in a refusal: for several headings of one name, and for none. */
const maxNamed = 20;
const maxNear = 8;
/** Headings compared with the given name. */
const maxCompared = 1000;
/** Least likeness of the characters of two ids. */
const leastLike = 0.5;

/**
 * The heading that a caller names: by its id, or by its words where only one heading has them. Punctuation does not
 * count.
 * @throws Refusal INVALID_REQUEST `no_such_section` with similar ids, `section_ambiguous` with the possible ids
 */
export function findHeading(headings: readonly Heading[], named: string, field = 'section'): Heading {
  const words = compose(named.trim().replace(/^#{1,6}\s+/, ''));
  const byId = headings.find(({ id }) => id === named) ?? headings.find(({ id }) => id === words);
  if (byId !== undefined) return byId;
  const small = words.toLowerCase();
  const exact = findFirst(headings, ({ title }) => compose(title) === words);
  const alike = exact.length > 0 ? exact : findFirst(headings, ({ title }) => compose(title).toLowerCase() === small);
  const [heading] = alike;
  if (heading === undefined) {
    const id = hyphenate(words);
    const near = headings.find((each) => each.id === id);
    if (near !== undefined && hyphenate(near.title) === id) return near;
    throw invalidRequest('no_such_section', 'The document has no such heading. Take its id from the outline.', {
      field,
      sections: findNear(headings, id),
    });
  }
  if (alike.length === 1) return heading;
  const sections = alike.map(({ id }) => id);
  throw invalidRequest('section_ambiguous', 'Several headings have these words. Name one by its id.', {
    field,
    sections,
  });
}

/** No heading is longer. Composing takes the square of the length of a run of marks. */
const maxComposed = 1000;

/** In composed form, so that both Unicode forms of a word are one. */
function compose(words: string): string {
  return words.length > maxComposed ? words : words.normalize('NFC');
}

/** The headings for which it holds, as many as a refusal names. */
function findFirst(headings: readonly Heading[], holds: (heading: Heading) => boolean): Heading[] {
  const found: Heading[] = [];
  for (const heading of headings) {
    if (holds(heading)) found.push(heading);
    if (found.length === maxNamed) break;
  }
  return found;
}

/** The ids most like this one: by whole words, or by their characters. If there are few headings, all ids. */
function findNear(headings: readonly Heading[], id: string): string[] {
  if (headings.length <= maxNear) return headings.map((heading) => heading.id);
  const words = new Set(id.split('-'));
  const likeness = likenessTo(id);
  return headings
    .slice(0, maxCompared)
    .map((heading) => {
      const theirs = heading.id.split('-');
      const common = theirs.filter((word) => words.has(word)).length / theirs.length;
      const like = likeness(heading.id);
      return { id: heading.id, likeness: Math.max(common, like < leastLike ? 0 : like) };
    })
    .filter(({ likeness: like }) => like > 0)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, maxNear)
    .map((near) => near.id);
}
