import { nameOf, type Location } from '../../domain/location.js';
import type { DocumentKind } from '../../domain/document.js';
import type { WordVectors } from '../meaning/word-vectors.js';
import { cutChunks, type ChunkLengths } from './cut-chunks.js';
import { DirectionFinder } from '../meaning/find-directions.js';
import { SequenceFinder } from './find-sequences.js';
import { findTitle, type Title } from './find-title.js';
import { countOnce } from '../segments/posting.js';
import { runAtOnce } from '../../scheduling/in-steps.js';
import { isMarkdownName, isMarkup, showText } from './show-text.js';
import type { ShownText, Span } from './shown-text.js';
import { english, type Languages } from '../languages/languages.js';
import { wordsOfPart } from '../languages/show-languages.js';
import { spellingAt, splitWords } from './split-words.js';
import { stemOfDocument, stemWord } from './stem-word.js';

/** A document as search sees it. */
export interface SearchDocument {
  readonly location: Location;
  /** Left out: the first heading or front matter, else the name. */
  readonly title?: string;
  /** Null for content without a text, which is found by its name and labels. */
  readonly text: string | null;
  readonly kind: DocumentKind;
  readonly labels: readonly string[];
  /** Whether the text was made of a file: its first heading is that of a page, and no title. */
  readonly isMade?: boolean;
}

/** A chunk of a long document's text. */
export interface AnalyzedChunk {
  /** Where it starts in the text, in UTF-16 units. */
  readonly start: number;
  /** Its words. */
  readonly length: number;
  readonly terms: ReadonlyMap<string, number>;
}

/** An analysed document: its entries in the index. */
export interface AnalyzedDocument {
  readonly location: Location;
  readonly flags: number;
  /** Words in each field, in the order of `fieldNames`. */
  readonly lengths: readonly [number, number, number, number];
  /** Packed counts (see posting.ts) by term; without those of the chunks. */
  readonly terms: ReadonlyMap<string, number>;
  /** The text of a long document, which ranks by its best chunk. Empty for another one. */
  readonly chunks: readonly AnalyzedChunk[];
  /** The directions of its text, part by part (see meaning/find-directions.ts); empty where none were requested. */
  readonly directions: Int8Array;
}

export const binaryFlag = 1;
/** The title is the name, and changes with it. */
export const titledByNameFlag = 2;

/** Characters of a text that are indexed; the rest can be read, but not found. */
export const maxTextLength = 10_000_000;

/** Marks the term that filters by a label. No word holds it, so no query can name it. */
export const labelMark = '\u0000';

const [body, title, path, label] = [0, 1, 2, 3] as const;

/** How documents are analysed. */
export interface Reading {
  readonly languages: Languages;
  /** The vectors for the directions of documents. */
  readonly vectors: WordVectors | null;
  /** Left out: the usual lengths. */
  readonly chunkLengths?: ChunkLengths | undefined;
}

export const plainReading: Reading = { languages: english, vectors: null };

/** Takes time in proportion to the text, whatever it holds. */
export function analyzeDocument(
  document: SearchDocument,
  { languages, vectors, chunkLengths }: Reading = plainReading,
): AnalyzedDocument {
  const name = nameOf(document.location);
  const text = document.text?.slice(0, maxTextLength) ?? '';
  const found = document.title === undefined && document.isMade !== true ? findTitle(text, name) : undefined;
  const heading = document.title ?? found?.title;
  const directions = vectors === null ? undefined : new DirectionFinder(vectors, heading ?? '');
  const collected = new Collected(languages, undefined, directions);
  const shown = runAtOnce(showText(text, name, { withTargets: true }));
  const chunks = collected.addText(shown, cutChunks(text, chunkLengths), found);
  collected.add(heading ?? name, title);
  collected.add(name, path);
  for (const each of document.labels) collected.addLabel(each);
  return {
    location: document.location,
    flags: (document.kind === 'binary' ? binaryFlag : 0) | (heading === undefined ? titledByNameFlag : 0),
    lengths: collected.lengths,
    terms: collected.terms,
    chunks,
    directions: directions?.end() ?? noDirections,
  };
}

/** The parts of a text before and behind its title, which is a field of its own. Places in the source. */
export function withoutTitle(shown: ShownText, { start, end }: Span, line: Title | undefined): string[] {
  const [from, to] = [shown.offsetOf(start), shown.offsetOf(end)];
  if (line === undefined || end <= line.start || start >= line.end) return [shown.text.slice(from, to)];
  const parts = [shown.text.slice(from, shown.offsetOf(line.start)), shown.text.slice(shown.offsetOf(line.end), to)];
  return parts.filter((part) => part !== '');
}

/**
 * Whether a text is read alike at both locations, so that a rename changes the words of the name alone: both names are
 * of Markdown, of HTML, or of neither.
 */
export function isReadAlike(from: Location, to: Location): boolean {
  const [name, other] = [nameOf(from), nameOf(to)];
  return isMarkup(name) === isMarkup(other) && isMarkdownName(name) === isMarkdownName(other);
}

/** The same document at another location that is read alike; the words of its name are analysed again, the rest stays. */
export function renameAnalyzed(analyzed: AnalyzedDocument, location: Location, languages: Languages): AnalyzedDocument {
  const name = nameOf(location);
  const collected = new Collected(languages, analyzed);
  collected.drop(path);
  collected.add(name, path);
  if (analyzed.flags & titledByNameFlag) {
    collected.drop(title);
    collected.add(name, title);
  }
  return { ...analyzed, location, lengths: collected.lengths, terms: collected.terms };
}

/** The same document with other labels. */
export function relabelAnalyzed(
  analyzed: AnalyzedDocument,
  labels: readonly string[],
  languages: Languages,
): AnalyzedDocument {
  const collected = new Collected(languages, analyzed);
  collected.drop(label);
  for (const each of labels) collected.addLabel(each);
  return { ...analyzed, lengths: collected.lengths, terms: collected.terms };
}

const noDirections = new Int8Array(0);

/**
 * Terms of sequences in each field of a document, each as often as it comes. Sixteen characters can make eighteen of
 * them, so a text of nothing else would take much more memory than its words. The fields have bounds of their own,
 * because a rename reads the name again and not the body.
 */
const maxSequenceTerms = [50_000, 1000, 1000, 1000] as const;

const bitsOfField = [127 << 5, 7 << 2, 1 << 1, 1] as const;

class Collected {
  readonly terms: Map<string, number>;
  readonly lengths: [number, number, number, number];
  readonly #languages: Languages;
  readonly #directions: DirectionFinder | undefined;
  readonly #sequenceTerms: [number, number, number, number];

  /** @param sequenceTerms found in each field of the document */
  constructor(
    languages: Languages,
    start?: AnalyzedDocument,
    directions?: DirectionFinder,
    sequenceTerms: [number, number, number, number] = [0, 0, 0, 0],
  ) {
    this.#languages = languages;
    this.#directions = directions;
    this.#sequenceTerms = sequenceTerms;
    this.terms = new Map(start?.terms);
    this.lengths = start === undefined ? [0, 0, 0, 0] : [...start.lengths];
  }

  /**
   * Adds a text that stays whole, or returns the chunks of a longer one. A chunk without a word is none.
   * @param starts of the chunks in the source
   */
  addText(shown: ShownText, starts: readonly number[], line: Title | undefined): AnalyzedChunk[] {
    const bodyOf = (start: number, end: number): string => withoutTitle(shown, { start, end }, line).join('\n');
    if (starts.length === 1) this.#addBody(bodyOf(0, Number.POSITIVE_INFINITY));
    if (starts.length === 1) return [];
    const chunks: AnalyzedChunk[] = [];
    starts.forEach((start, index) => {
      const own = new Collected(this.#languages, undefined, this.#directions, this.#sequenceTerms);
      own.#addBody(bodyOf(start, starts[index + 1] ?? Number.POSITIVE_INFINITY));
      if (own.terms.size > 0) chunks.push({ start, length: own.lengths[body], terms: own.terms });
    });
    return chunks;
  }

  #addBody(text: string): void {
    const languages = this.#languages;
    const words: string[] = [];
    const spelled: string[] = [];
    const sequences = this.#findSequences(text, body);
    splitWords(text, (word, start, end) => {
      sequences.add(word, start, end);
      // The directions of texts are known of English words alone.
      if (!languages.areSpelled || this.#directions !== undefined) {
        const stem = stemOfDocument(word);
        this.#directions?.addWord(stem);
        if (!languages.areSpelled && stem !== null) this.#count(stem, body);
      }
      if (!languages.areSpelled) return;
      words.push(word);
      spelled.push(spellingAt(text, word, start, end));
      if (words.length === wordsOfPart) this.#addPart(words, spelled);
    });
    sequences.endRun();
    this.#addPart(words, spelled);
  }

  /** Empties both lists. */
  #addPart(words: string[], spelled: string[]): void {
    const languages = this.#languages.forWords(words);
    words.forEach((word, index) => {
      if (!languages.leavesOut(word)) this.#countAll(word, spelled[index] ?? word, body, languages);
    });
    words.length = 0;
    spelled.length = 0;
  }

  /** Titles, names and labels keep their stop words: a file may be called `about`. */
  add(text: string, field: 1 | 2 | 3): void {
    const { areSpelled } = this.#languages;
    const sequences = this.#findSequences(text, field);
    splitWords(text, (word, start, end) => {
      sequences.add(word, start, end);
      if (areSpelled) this.#countAll(word, spellingAt(text, word, start, end), field, this.#languages);
      else this.#count(stemWord(word), field);
    });
    sequences.endRun();
  }

  addLabel(text: string): void {
    this.add(text, label);
    this.terms.set(labelMark + text, 1);
  }

  /** Removes all entries of one field. */
  drop(field: 1 | 2 | 3): void {
    this.lengths[field] = 0;
    for (const [term, counts] of this.terms) {
      const left = counts & ~bitsOfField[field];
      if (left === 0) this.terms.delete(term);
      else if (left !== counts) this.terms.set(term, left);
    }
  }

  /** A word of several languages has several stems, and is one word of the text all the same. */
  #countAll(word: string, spelled: string, field: 0 | 1 | 2 | 3, languages: Languages): void {
    const stems = languages.stemsOf(word, spelled);
    for (const stem of stems) this.#count(stem, field);
    this.lengths[field] -= stems.length - 1;
  }

  #count(term: string, field: 0 | 1 | 2 | 3): void {
    this.#countTerm(term, field);
    this.lengths[field] += 1;
  }

  #findSequences(text: string, field: 0 | 1 | 2 | 3): SequenceFinder {
    return new SequenceFinder(text, (term) => {
      if (this.#sequenceTerms[field] >= maxSequenceTerms[field]) return;
      this.#sequenceTerms[field] += 1;
      this.#countTerm(term, field);
    });
  }

  /** A term that is no word of its own. */
  #countTerm(term: string, field: 0 | 1 | 2 | 3): void {
    this.terms.set(term, countOnce(this.terms.get(term) ?? 0, field));
  }
}
