/**
 * The right answers of a search, the slow way: it takes the documents in a caller's reach alone, one by one. It shares
 * with the index how texts and queries are read, and no storage, cutting, merging or ranking.
 */
import { findVariants } from '../../lib/search/query/vary-spelling.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { nameOf, type Location } from '../../lib/domain/location.js';
import type { DocumentKind } from '../../lib/domain/document.js';
import {
  analyzeDocument,
  plainReading,
  type AnalyzedDocument,
  type Reading,
} from '../../lib/search/analysis/analyze-document.js';
import { findMeaning } from '../../lib/search/meaning/find-meaning.js';
import { parseQuery, type Clause, type Phrase, type QueryTerm } from '../../lib/search/query/parse-query.js';
import { showText } from '../../lib/search/analysis/show-text.js';
import { spokenWords } from '../../lib/search/analysis/split-words.js';

export interface OracleDocument {
  readonly key: number;
  readonly location: Location;
  readonly text: string | null;
  readonly kind: DocumentKind;
  readonly labels: readonly string[];
}

export interface OracleFilters {
  readonly folder?: Location;
  readonly labels?: readonly string[];
  readonly kind?: DocumentKind;
}

type Counts = readonly [number, number, number, number];
const weights = [1, 3, 1, 2] as const;
const most = [127, 7, 1, 1] as const;

/** Every document found, best first. */
export function searchSlowly(
  reachable: readonly OracleDocument[],
  text: string,
  filters: OracleFilters = {},
  reading: Reading = plainReading,
): OracleDocument[] {
  const { languages, vectors } = reading;
  const query = runAtOnce(findVariants(parseQuery(text, 'operators', languages), languages));
  const folder = filters.folder ?? '';
  const documents = reachable
    .filter(({ location }) => folder === '' || location.startsWith(`${folder}/`))
    .map((document) => ({ document, ...analyzeDocument(document, reading) }));
  const entries = documents.flatMap(entriesOf);
  if (query.clauses.length === 0 && query.phrases.length === 0) return [];
  const texts = entries.filter(({ isHead }) => !isHead).length;
  const averages = [0, 1, 2, 3].map((field) => {
    const sum = entries.reduce((all, { lengths }) => all + (lengths[field] ?? 0), 0);
    return sum / (field === 0 ? texts : documents.length);
  });
  const everyNamed = query.clauses.filter(({ presence }) => presence !== 'prohibited');
  const frequencyOf = (term: QueryTerm, fields: number): number =>
    entries.filter(({ terms }) => countTerm(terms, term, fields) !== undefined).length;
  const named = query.question === undefined ? everyNamed : rarestOf(everyNamed, frequencyOf);
  const meaning = vectors === null ? undefined : findMeaning(query, vectors);
  const inverseOf = (term: QueryTerm, fields: number): number => {
    const frequency = frequencyOf(term, fields);
    return Math.log(1 + Math.max(0, entries.length - frequency + 0.5) / (frequency + 0.5));
  };
  const atMost = named
    .flatMap(({ boost, fields, terms }) => terms.map((term) => boost * inverseOf(term, fields)))
    .reduce((sum, worth) => sum + worth, 0);
  const found = documents.map((analyzed) => {
    const { document, directions } = analyzed;
    const [head, ...chunks] = entriesOf(analyzed) as [Entry, ...Entry[]];
    let score = 0;
    const added = chunks.map(() => 0);
    let isFound = named.length === 0 || query.readsAll;
    for (const { boost, fields, terms: sought, presence } of named) {
      for (const term of sought) {
        const ofHead = countTerm(head.terms, term, fields);
        const ofChunks = chunks.map(({ terms }) => countTerm(terms, term, fields));
        if (ofHead === undefined && ofChunks.every((counts) => counts === undefined)) {
          if (presence === 'required') return undefined;
          continue;
        }
        isFound = true;
        const weight = boost * inverseOf(term, fields);
        const own = ofHead === undefined ? 0 : weight * saturate(ofHead, head.lengths, averages);
        score += own;
        ofChunks.forEach((counts, index) => {
          if (counts === undefined) return;
          const [, ...beside] = ofHead ?? [0, 0, 0, 0];
          const [, ...lengths] = head.lengths;
          const length = chunks[index]?.lengths[0] ?? 0;
          const both = weight * saturate([counts[0], ...beside] as const, [length, ...lengths], averages);
          added[index] = (added[index] ?? 0) + both - own;
        });
      }
    }
    if (added.length > 0) score += Math.max(0, ...added);
    if (meaning !== undefined) {
      const nearness = nearestOf(meaning, directions);
      if (isFound || nearness >= 0.6) score += 0.1 * atMost * nearness;
      isFound ||= nearness >= 0.6;
    }
    const isOut = query.clauses.some((clause) => isProhibited(clause, [head, ...chunks]));
    const hasLabels = (filters.labels ?? []).every((label) => document.labels.includes(label));
    const isOfKind = filters.kind === undefined || filters.kind === document.kind;
    const hasPhrases = query.phrases.every((phrase) => holdsPhrase(document, phrase) !== phrase.isProhibited);
    return isFound && !isOut && hasLabels && isOfKind && hasPhrases ? { document, score } : undefined;
  });
  return found
    .filter((each) => each !== undefined)
    .sort(
      (a, b) => b.score - a.score || Buffer.compare(Buffer.from(a.document.location), Buffer.from(b.document.location)),
    )
    .map(({ document }) => document);
}

interface Entry {
  readonly terms: ReadonlyMap<string, number>;
  readonly lengths: readonly number[];
  /** Its text stands in chunks. */
  readonly isHead: boolean;
}

/** The document, or what it is called and then the chunks of its text. */
function entriesOf({ terms, lengths, chunks }: AnalyzedDocument): Entry[] {
  const ofChunks = chunks.map((chunk) => ({ terms: chunk.terms, lengths: [chunk.length, 0, 0, 0], isHead: false }));
  return [{ terms, lengths, isHead: chunks.length > 0 }, ...ofChunks];
}

/** The 32 found in the fewest documents, in their order; one that is in none where all are. */
function rarestOf(clauses: readonly Clause[], frequencyOf: (term: QueryTerm, fields: number) => number): Clause[] {
  const counted = clauses.map((clause, place) => {
    const frequency = clause.terms.reduce((sum, term) => sum + frequencyOf(term, clause.fields), 0);
    return { clause, place, frequency };
  });
  const found = counted.filter(({ frequency }) => frequency > 0);
  return (found.length === 0 ? counted.slice(0, 1) : found)
    .toSorted((a, b) => a.frequency - b.frequency || a.place - b.place)
    .slice(0, 32)
    .toSorted((a, b) => a.place - b.place)
    .map(({ clause }) => clause);
}

/** Text, title and name apart, or the field of the phrase; no word holds a space. */
function holdsPhrase({ location, text: content }: OracleDocument, { words, fields }: Phrase): boolean {
  const name = nameOf(location);
  const text = content ?? '';
  // A list is no title.
  const front = /^---\ntitle: (?!\[)(.*)\n---\n/.exec(text)?.[1]?.slice(0, 300) || undefined;
  const line = /^# (.+)$/m.exec(text);
  const heading = (name.endsWith('.md') ? line && shownOf(line[0], name).trim().slice(0, 300) : line?.[1]) || undefined;
  const body = front === undefined && heading !== undefined ? text.replace(/^# .*$/m, '') : text;
  const lists = new Map([
    [0b1111, [spokenWords(shownOf(text, name)), spokenWords(front ?? ''), spokenWords(name)]],
    [0b0001, [spokenWords(shownOf(body, name))]],
    [0b0010, [spokenWords(front ?? heading ?? name)]],
    [0b0100, [spokenWords(name)]],
  ]);
  return (lists.get(fields) ?? []).some((list) => ` ${list.join(' ')} `.includes(` ${words.join(' ')} `));
}

const shownOf = (text: string, name: string): string => runAtOnce(showText(text, name, { withTargets: true })).text;

function nearestOf(meaning: Int8Array, directions: Int8Array): number {
  const parts = Array.from({ length: directions.length / meaning.length }, (_, place) =>
    directions.slice(place * meaning.length, (place + 1) * meaning.length),
  );
  const products = parts.map((part) => part.reduce((sum, value, at) => sum + value * (meaning[at] ?? 0), 0));
  return Math.max(0, ...products.map((product) => Math.min(1, product / 127 ** 2)));
}

function isProhibited({ presence, terms: sought, fields }: Clause, entries: readonly Entry[]): boolean {
  if (presence !== 'prohibited') return false;
  return sought.every((term) => entries.some(({ terms }) => countTerm(terms, term, fields) !== undefined));
}

/** How often the term stands in each of the fields, or undefined when in none. */
function countTerm(terms: ReadonlyMap<string, number>, sought: QueryTerm, fields: number): Counts | undefined {
  const sums = [0, 0, 0, 0];
  for (const [term, packed] of terms) {
    const isMark = term.startsWith('\u0000') && sought.type !== 'exact';
    if (isMark || !isMeant(term, sought)) continue;
    [packed >>> 5, (packed >>> 2) & 7, (packed >>> 1) & 1, packed & 1].forEach((count, field) => {
      if ((fields >>> field) & 1) sums[field] = Math.min(most[field] ?? 0, (sums[field] ?? 0) + count);
    });
  }
  return sums.some((count) => count > 0) ? (sums as unknown as Counts) : undefined;
}

function isMeant(term: string, sought: QueryTerm): boolean {
  if (sought.type === 'exact') return term === sought.term;
  if (sought.type === 'any') return sought.terms.includes(term);
  if (sought.type === 'fuzzy') return sought.stems.includes(term) || countEdits(term, sought.term) <= sought.edits;
  const pattern = sought.pattern
    .split('*')
    .map((piece) => piece.replaceAll(/[^\p{L}\p{N}\p{M}]/gu, ''))
    .join('.*');
  return sought.stems.includes(term) || new RegExp(`^${pattern}$`, 'u').test(term);
}

/** The edits (optimal string alignment) between two words, by the whole table. */
export function countEdits(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  const table = left.concat('').map(() => right.concat('').map(() => 0));
  const at = (row: number, column: number): number => table[row]?.[column] ?? 0;
  for (let row = 0; row <= left.length; row += 1) {
    for (let column = 0; column <= right.length; column += 1) {
      let least = row === 0 ? column : column === 0 ? row : Infinity;
      if (row > 0 && column > 0) {
        const isSame = left[row - 1] === right[column - 1];
        least = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1));
        const isSwapped =
          row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
        if (isSwapped) least = Math.min(least, at(row - 2, column - 2) + 1);
      }
      (table[row] as number[])[column] = least;
    }
  }
  return at(left.length, right.length);
}

function saturate(counts: Counts, lengths: readonly number[], averages: readonly number[]): number {
  let sum = 0;
  counts.forEach((count, field) => {
    if (count === 0) return;
    const relative = averages[field] === 0 ? 0 : (lengths[field] ?? 0) / (averages[field] ?? 1);
    sum += ((weights[field] ?? 0) * count) / (1 - 0.75 + 0.75 * relative);
  });
  return sum / (1.2 + sum);
}
