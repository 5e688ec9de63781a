// The index of the manual's search: the words of all sections with lunr's weights, in a form that is read quickly.
import lunr from 'lunr';

/** Characters of a section that are kept for its excerpts. */
const maxText = 4000;

/** A question is answered by a guide first, then by pages that list everything, then by what changed when. */
const shares = [
  [/^changelog$/, 0.2],
  [/^(rest-.*|commands|reasons|settings|tools)$/, 0.5],
];

/** How much the words of a page count, beside those of a guide. */
const shareOf = (name) => shares.find(([pattern]) => pattern.test(name))?.[1] ?? 1;

/** `stale_if_match` is found as a whole and by its parts. */
const splitNames = (token) => {
  const word = token.toString();
  return word.includes('_') ? [token, ...word.split('_').map((part) => token.clone(() => part))] : token;
};

lunr.Pipeline.registerFunction(splitNames, 'splitNames');

/** Every word with the sections that have it and its weight there: [[word, [section, weight, …]], …]. */
function gatherWeights({ fieldVectors, invertedIndex }, sectionShares) {
  const words = new Map(invertedIndex.map(([word, { _index: number }]) => [number, { word, weights: new Map() }]));
  for (const [field, elements] of fieldVectors) {
    const section = Number(field.split('/')[1]);
    for (let at = 0; at < elements.length; at += 2) {
      const { weights } = words.get(elements[at]);
      weights.set(section, (weights.get(section) ?? 0) + elements[at + 1] * sectionShares[section]);
    }
  }
  return [...words.values()]
    .map(({ word, weights }) => [word, [...weights].flatMap(([section, weight]) => [section, Math.ceil(weight * 100)])])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * @param pages rendered: name, title, sections
 * @returns each section with its address, its titles and its words, and the words of the index
 */
export function indexSections(pages) {
  const sections = pages.flatMap(({ name, title, sections: own }) =>
    own.map((section) => ({
      address: `${name === 'index' ? './' : name}${section.id === '' ? '' : `#${section.id}`}`,
      page: title,
      title: section.title,
      text: section.text.slice(0, maxText),
    })),
  );
  const sectionShares = pages.flatMap(({ name, sections: own }) => own.map(() => shareOf(name)));
  lunr.tokenizer.separator = /[^\p{L}\p{N}_]+/u;
  const index = lunr(function addAll() {
    this.pipeline.before(lunr.stopWordFilter, splitNames);
    this.ref('place');
    this.field('title', { boost: 6 });
    this.field('page', { boost: 2 });
    this.field('text');
    for (const [place, section] of sections.entries()) this.add({ ...section, place });
  });
  return { sections, words: gatherWeights(index.toJSON(), sectionShares) };
}
