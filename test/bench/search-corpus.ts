/** Generated documents: made-up words with the frequencies of a language (Zipf), from a fixed seed. */
import type { Location } from '../../lib/domain/location.js';
import type { SearchDocument } from '../../lib/search/analysis/analyze-document.js';
import type { WordVectors } from '../../lib/search/meaning/word-vectors.js';

const syllables =
  'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za bra cle dri flo gru pla ste tri sho'.split(' ');
const vocabularySize = 60_000;
const wordsPerDocument = 430;

/** Numbers in [0, 1), always the same ones (mulberry32). */
export function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The word of a rank: the more frequent, the shorter. */
export function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + syllables.length; rest > 0; rest = Math.floor(rest / syllables.length)) {
    word += syllables[rest % syllables.length] ?? '';
  }
  return word;
}

/** Made-up words have no meaning: each points in a random direction, in as many dimensions as real words. */
class ChanceVectors implements WordVectors {
  readonly name = 'chance';
  readonly dimensions = 64;
  readonly #known = new Map<string, Int8Array>();

  add(stem: string, sums: Int32Array): void {
    let vector = this.#known.get(stem);
    if (vector === undefined) {
      const random = makeRandom(seedOf(stem));
      vector = Int8Array.from(sums, () => Math.floor(random() * 256) - 128);
      this.#known.set(stem, vector);
    }
    for (let index = 0; index < sums.length; index += 1) sums[index] = (sums[index] ?? 0) + (vector[index] ?? 0);
  }
}

export const chanceVectors: WordVectors = new ChanceVectors();

export function seedOf(text: string): number {
  let seed = 0;
  for (const character of text) seed = Math.imul(seed, 31) + character.charCodeAt(0);
  return seed;
}

/** A rank by Zipf's law: the k-th word comes with a frequency of about 1/k. */
export function drawRank(random: () => number): number {
  return Math.floor(Math.exp(random() * Math.log(vocabularySize))) - 1;
}

/** About 3 kB of Markdown; a thousand documents lie in each of the folders `team-0`, `team-1`, … */
export function makeDocument(number: number): SearchDocument {
  const random = makeRandom(number + 1);
  const words: string[] = [];
  for (let count = 0; count < wordsPerDocument; count += 1) words.push(wordOf(drawRank(random)));
  const title = words.slice(0, 5).join(' ');
  return {
    location: placeOf(number),
    text: `# ${title}\n\n${words.slice(5).join(' ')}.\n`,
    kind: 'text',
    labels: number % 10 === 0 ? ['draft'] : [],
  };
}

export function placeOf(number: number): Location {
  const folder = `team-${Math.floor(number / 1000)}/area-${Math.floor((number % 1000) / 50)}`;
  return `${folder}/document-${number}.md` as Location;
}
