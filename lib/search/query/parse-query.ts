import lunr from 'lunr';
import { invalidRequest, type Refusal } from '../../domain/refusal.js';
import { bodyField, everyField, fieldNames, labelField, pathField } from '../segments/posting.js';
import { labelMark } from '../analysis/analyze-document.js';
import { english, type Languages } from '../languages/languages.js';
import {
  foldText,
  isSign,
  isWithoutSpaces,
  spelledWords,
  spokenWords,
  type SpelledWord,
} from '../analysis/split-words.js';
import { readFolderFilters, type FolderFilter } from './read-folder-filters.js';
import { readQuotes, type Quote } from './read-quotes.js';
import { readSequences, type Sequence } from './read-sequences.js';

/** lunr's parser of its query language. Its typings leave it out. */
const { QueryParser } = lunr as unknown as {
  readonly QueryParser: new (text: string, query: lunr.Query) => { parse(): lunr.Query };
};

/**
 * Bounds of a query. They depend on the text of the query alone: a bound on the work would depend on content outside
 * the caller's reach.
 */
export const maxQueryLength = 2000;
/** A longer text is a question: operators, quotes and patterns are not looked for in it. */
export const maxLengthWithOperators = 512;
export const maxClauses = 24;
export const maxTerms = 64;
/** Terms of a long question that are looked up, and those of them that count. */
export const maxTermsOfQuestion = 128;
export const countedTerms = 32;
export const maxPatterns = 4;
export const minPrefixLength = 3;
export const maxEdits = 2;
export const minFuzzyWordLength = 4;
const maxBoost = 100;

export type QueryTerm =
  | { readonly type: 'exact'; readonly term: string }
  /** Any of a word's stems in several languages; the English one first. */
  | { readonly type: 'any'; readonly terms: readonly string[] }
  /**
   * `*` stands for any characters; the part before the first is literal. The stems match too: those of words that match
   * and lost more of their endings.
   */
  | { readonly type: 'wildcard'; readonly pattern: string; readonly stems: readonly string[] }
  /**
   * A misspelt word: stems as many edits away, and those of all words that are one slip away from it (see
   * vary-spelling.ts). An ending that a slip has changed makes another stem.
   */
  | {
      readonly type: 'fuzzy';
      readonly word: string;
      readonly term: string;
      readonly edits: number;
      /** Empty as the query is parsed: there are thousands, so `findVariants` adds them in steps. */
      readonly stems: readonly string[];
    };

/** The terms for one word of the query; more than one where the index splits the word. */
export interface Clause {
  readonly presence: 'optional' | 'required' | 'prohibited';
  readonly boost: number;
  /** How often a long question says it; left out for once. */
  readonly occurrences?: number;
  /** One bit a field, in the order of `fieldNames`. */
  readonly fields: number;
  readonly terms: readonly QueryTerm[];
}

/** Words that must, or must not, follow each other in the text; folded, not stemmed. */
export interface Phrase {
  readonly words: readonly string[];
  readonly isProhibited: boolean;
  /** Where: one bit a field, and not the labels alone. */
  readonly fields: number;
  /** Those of its words that a text with the phrase holds; stop words have none. */
  readonly terms: readonly QueryTerm[];
}

export interface Query {
  readonly clauses: readonly Clause[];
  readonly phrases: readonly Phrase[];
  /** All of them; documents that they leave out count as out of reach. */
  readonly folders: readonly FolderFilter[];
  /** Whether every document is read for the phrases, because their words alone do not say in which they stand. */
  readonly readsAll: boolean;
  /** Of a long question, only the terms count that weigh most: rare in the reach, and said again. Each clause has one term. */
  readonly question?: {
    /** Whether it has more terms than are looked up. */
    readonly isCut: boolean;
  };
}

/** `operators` is lunr's language and quotes; `plain` is words and quotes. */
export type QuerySyntax = 'operators' | 'plain';

/** Signs that stand alone or lead a word without being an operator of lunr's. */
const looseSign = /(^|\s)(?:[+-]+(?=\s|$)|[~^]+)/g;
const wordWithStars = /[\p{L}\p{N}\p{M}*]+/gu;

/**
 * Reads a query. Text that lunr's parser refuses (`10:30`, an address, `+`) is taken as plain words.
 * @throws Refusal INVALID_REQUEST `query_too_long` or `query_too_complex`
 */
export function parseQuery(text: string, syntax: QuerySyntax = 'operators', languages: Languages = english): Query {
  if (text.length > maxQueryLength) {
    throw invalidRequest('query_too_long', `The query is longer than ${maxQueryLength} characters.`, {
      input: 'query',
    });
  }
  const isShort = text.length <= maxLengthWithOperators;
  const knowsOperators = syntax === 'operators';
  const { folders, rest: words } =
    isShort && knowsOperators ? readFolderFilters(text, languages) : { folders: [], rest: text };
  const { quotes, rest: unquoted } = isShort ? readQuotes(words, knowsOperators) : { quotes: [], rest: words };
  const { sequences, rest } = isShort ? readSequences(unquoted, knowsOperators) : { sequences: [], rest: unquoted };
  const phrases = [...quotes, ...sequences.flatMap(asQuote)].filter(isOfWords).map(({ text: inner, ...where }) => {
    const spoken = spelledWords(inner).filter(({ word }) => !isSign(word));
    return { words: spokenWords(inner), ...where, terms: exactTerms(spoken, { languages, keepsStopWords: false }) };
  });
  const read = (keepsStopWords: boolean): Query => {
    const manner = { languages, keepsStopWords };
    const clauses = quotes.map((quote) =>
      quote.fields === labelField ? labelClause(quote) : quoteClause(quote, manner),
    );
    const plain = (knowsOperators && isShort ? readOperators(rest, manner) : undefined) ?? readWords(rest, manner);
    const parts = sequences.filter(isWanted).map((each) => partsClause(each, manner));
    const all = [...clauses, ...plain, ...parts].filter(({ terms }) => terms.length > 0);
    return { clauses: all, phrases, folders, readsAll: false };
  };
  const query = read(false);
  // The query has only stop words: titles and names hold them.
  const complete = query.clauses.length > 0 ? query : { ...read(true), readsAll: quotes.some(isOfTexts) };
  const question = readQuestion(complete);
  if (question !== undefined) return question;
  checkLimits(complete);
  const names = readNames(unquoted, { languages, keepsStopWords: true });
  return { ...complete, clauses: [...complete.clauses, ...names, ...sequences.filter(isWanted).map(sequenceClause)] };
}

/** Makes a document with the whole number come before those with its parts. */
const sequenceBoost = 2;

const isWanted = ({ presence }: Sequence): boolean => presence !== 'prohibited';

/** A sequence that every hit has to hold, or none. The text decides, as for a quote. */
function asQuote({ text, presence, fields }: Sequence): Quote[] {
  return presence === 'optional' ? [] : [{ text, isProhibited: presence === 'prohibited', fields }];
}

/** The words of a sequence, of which each counts. */
function partsClause({ text, presence, fields }: Sequence, manner: Manner): Clause {
  return { presence, boost: 1, fields, terms: exactTerms(spelledWords(text), inFields(fields, manner)) };
}

function sequenceClause({ fields, terms }: Sequence): Clause {
  const exact = terms.map((term) => ({ type: 'exact' as const, term }));
  return { presence: 'optional', boost: sequenceBoost, fields, terms: exact };
}

/** A word that looks like the name of a file. */
const nameLike = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]{1,100}\.\p{L}[\p{L}\p{N}]{0,7}$/u;
/** Names of a query that are sought as names, beside their words. */
const maxNames = 2;
/** Makes the words of a name weigh more in names than anywhere in a text. */
const nameBoost = 4;

/** For words like the name of a file: its words, in names alone. So the document of that name comes first. */
function readNames(text: string, manner: Manner): Clause[] {
  return text
    .split(/\s+/u)
    .filter((word) => nameLike.test(word))
    .slice(0, maxNames)
    .map((word) => ({
      presence: 'optional',
      boost: nameBoost,
      fields: pathField,
      terms: exactTerms(wordsOfQuery(word), manner).slice(0, 8),
    }));
}

/** A query of plain words with too many of them for a query: a question. Each term counts once. */
function readQuestion({ clauses, phrases, folders }: Query): Query | undefined {
  const terms = clauses.flatMap((clause) => clause.terms);
  if (clauses.length <= maxClauses && terms.length <= maxTerms) return undefined;
  const isPlain = (clause: Clause): boolean =>
    clause.presence === 'optional' && clause.boost === 1 && clause.fields === everyField && clause.terms.every(isWord);
  if (phrases.length > 0 || !clauses.every(isPlain)) return undefined;
  const distinct = new Map<string, { readonly term: QueryTerm; occurrences: number }>();
  for (const term of terms) {
    const name = JSON.stringify(term);
    const known = distinct.get(name);
    if (known === undefined) distinct.set(name, { term, occurrences: 1 });
    else known.occurrences += 1;
  }
  // Of very many, those that are said again; otherwise in their order.
  const most = [...distinct.values()].toSorted((a, b) => b.occurrences - a.occurrences).slice(0, maxTermsOfQuestion);
  return {
    clauses: most.map(({ term, occurrences }) => ({
      presence: 'optional',
      boost: 1,
      occurrences,
      fields: everyField,
      terms: [term],
    })),
    phrases,
    folders,
    readsAll: false,
    question: { isCut: distinct.size > maxTermsOfQuestion },
  };
}

const isWord = ({ type }: QueryTerm): boolean => type === 'exact' || type === 'any';

/** How words of the query become terms. */
interface Manner {
  readonly languages: Languages;
  readonly keepsStopWords: boolean;
}

const isOfTexts = ({ fields, isProhibited }: Quote): boolean => !isProhibited && (fields & bodyField) !== 0;

const isOfWords = ({ fields, text }: Quote): boolean => fields !== labelField && spokenWords(text).length > 0;

/**
 * What a document needs to have the phrase; a prohibited one asks for nothing. Of stop words the index knows only those
 * in titles, names and labels. Texts have them, too, so titles and names with them merely come first.
 */
function quoteClause(quote: Quote, manner: Manner): Clause {
  const { text, isProhibited, fields } = quote;
  const words = isProhibited ? [] : spelledWords(text);
  const presence = manner.keepsStopWords && isOfTexts(quote) ? 'optional' : 'required';
  return { presence, boost: 1, fields, terms: exactTerms(words, inFields(fields, manner)) };
}

/** A label is meant as a whole: its words may be those of other labels, too. */
function labelClause({ text, isProhibited, fields }: Quote): Clause {
  const label = text.trim().normalize('NFC');
  const terms = label === '' ? [] : [{ type: 'exact' as const, term: labelMark + label }];
  return { presence: isProhibited ? 'prohibited' : 'required', boost: 1, fields, terms };
}

/** Titles, names and labels keep their stop words. */
function inFields(fields: number, manner: Manner): Manner {
  return { ...manner, keepsStopWords: manner.keepsStopWords || (fields & bodyField) === 0 };
}

function exactTerms(words: readonly SpelledWord[], { languages, keepsStopWords }: Manner): QueryTerm[] {
  return words
    .filter(({ word }) => keepsStopWords || !languages.isStopWord(word))
    .map(({ word, spelled }) => {
      const terms = languages.stemsOf(word, spelled);
      return terms.length > 1 ? { type: 'any', terms } : { type: 'exact', term: terms[0] ?? word };
    });
}

function readWords(text: string, manner: Manner): Clause[] {
  return text
    .split(/\s+/u)
    .map((word) => exactTerms(wordsOfQuery(word), manner))
    .map((terms) => ({ presence: 'optional', boost: 1, fields: everyField, terms }));
}

/** The words of a query's word. Where characters come in pairs, a single one adds nothing to its pairs. */
function wordsOfQuery(text: string): SpelledWord[] {
  const words = spelledWords(text);
  const hasPairs = words.some(({ word }) => isWithoutSpaces(word) && isPair(word));
  return hasPairs ? words.filter(({ word }) => !isWithoutSpaces(word) || isPair(word)) : words;
}

/** Whole code points. */
function charactersOf(text: string): string[] {
  return Array.from(text);
}

function isPair(word: string): boolean {
  return charactersOf(word).length === 2;
}

/** lunr's reading of the text, or undefined where lunr refuses it. */
function readOperators(text: string, manner: Manner): Clause[] | undefined {
  const query = new lunr.Query([...fieldNames]);
  try {
    new QueryParser(text.replace(looseSign, '$1'), query).parse();
  } catch (error) {
    if (error instanceof lunr.QueryParseError) return undefined;
    throw error;
  }
  const clauses = query.clauses.map((clause) => readClause(clause, manner));
  return clauses.every((clause) => clause !== undefined) ? clauses : undefined;
}

function readClause(
  clause: lunr.Query.Clause & { presence?: lunr.Query.presence },
  manner: Manner,
): Clause | undefined {
  const fields = clause.fields.reduce((mask, name) => mask | (1 << fieldNames.indexOf(name as 'body')), 0);
  const edits = clause.editDistance ?? 0;
  const presence =
    clause.presence === lunr.Query.presence.REQUIRED
      ? 'required'
      : clause.presence === lunr.Query.presence.PROHIBITED
        ? 'prohibited'
        : 'optional';
  const own = inFields(fields, manner);
  const shape = { presence, boost: Math.min(clause.boost, maxBoost), fields } as const;
  if (clause.term.includes('*')) {
    const terms = wildcardTerms(clause.term, own);
    return terms === undefined ? undefined : { ...shape, terms };
  }
  if (edits === 0) return { ...shape, terms: exactTerms(wordsOfQuery(clause.term), own) };
  return { ...shape, terms: spelledWords(clause.term).map((word) => fuzzyTerm(word, edits, own)) };
}

/** Undefined for a leading `*`: it is an emphasis of Markdown, and not a search. */
function wildcardTerms(text: string, manner: Manner): QueryTerm[] | undefined {
  const terms: QueryTerm[] = [];
  for (const piece of foldText(text).match(wordWithStars) ?? []) {
    if (!piece.includes('*')) terms.push(...exactTerms(wordsOfQuery(piece), manner));
    else if (piece.startsWith('*')) return undefined;
    else if (isWithoutSpaces(piece)) terms.push(...exactTerms(wordsOfQuery(piece), manner));
    else {
      if (charactersOf(piece).indexOf('*') < minPrefixLength) {
        throw tooComplex(`A word with "*" needs at least ${minPrefixLength} characters before it.`);
      }
      const literal = piece.slice(0, piece.indexOf('*'));
      const endsThere = /^\*+$/.test(piece.slice(literal.length));
      terms.push({
        type: 'wildcard',
        pattern: piece.replaceAll(/\*+/g, '*'),
        stems: endsThere ? manner.languages.stemsOfBeginning(literal) : [literal],
      });
    }
  }
  return terms;
}

function fuzzyTerm({ word, spelled }: SpelledWord, edits: number, { languages }: Manner): QueryTerm {
  if (isWithoutSpaces(word)) return { type: 'exact', term: word };
  if (edits > maxEdits) throw tooComplex(`"~" allows at most ${maxEdits} edits.`);
  if (charactersOf(word).length < minFuzzyWordLength) {
    throw tooComplex(`A word with "~" needs at least ${minFuzzyWordLength} characters.`);
  }
  return { type: 'fuzzy', word, term: languages.stemsOf(word, spelled)[0] ?? word, edits, stems: [] };
}

function checkLimits({ clauses }: Query): void {
  const terms = clauses.flatMap((clause) => clause.terms);
  if (clauses.length > maxClauses) throw tooComplex(`The query has more than ${maxClauses} words.`);
  if (terms.length > maxTerms) throw tooComplex(`The query has more than ${maxTerms} terms.`);
  if (terms.filter(({ type }) => type === 'wildcard' || type === 'fuzzy').length > maxPatterns) {
    throw tooComplex(`The query has more than ${maxPatterns} words with "*" or "~".`);
  }
}

function tooComplex(message: string): Refusal {
  return invalidRequest('query_too_complex', message, { input: 'query' });
}
