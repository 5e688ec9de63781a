/** A line similar to the sought one. */
export interface NearLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const maxLines = 3;
/** Of a line, this much is compared and shown. UTF-16 units. */
const maxCompared = 300;
const maxShown = 200;
/** Lines examined between two pauses, and units of them. */
const linesBetweenPauses = 2000;
const unitsBetweenPauses = 100_000;
/** Below this likeness, of words or of letters, a line is no help. */
const minLikeness = 0.34;
const minLikenessOfPairs = 0.5;

const wordPattern = /[\p{L}\p{M}\p{N}_]+/gu;

function wordsOf(line: string): Set<string> {
  return new Set(line.slice(0, maxCompared).toLowerCase().match(wordPattern) ?? []);
}

/** The line with the most words in the sought text: it says most about the expected place. */
function chooseAnchor(sought: string): { readonly line: string; readonly words: ReadonlySet<string> } {
  let best = { line: '', words: new Set<string>() };
  for (const line of sought.split('\n', 200)) {
    const words = wordsOf(line);
    if (words.size > best.words.size || best.line === '') best = { line: line.trim(), words };
  }
  return best;
}

/** Dice's coefficient of pairs of letters: finds a line by a misspelled word. */
function likenessOfPairs(line: string, pairs: ReadonlySet<string>): number {
  const small = line.trim().toLowerCase();
  let shared = 0;
  for (let at = 0; at + 1 < small.length; at += 1) if (pairs.has(small.slice(at, at + 2))) shared += 1;
  return (2 * Math.min(shared, pairs.size)) / (Math.max(1, small.length - 1) + pairs.size);
}

function pairsOf(line: string): Set<string> {
  const small = line.slice(0, maxCompared).toLowerCase();
  return new Set(Array.from({ length: Math.max(0, small.length - 1) }, (_, at) => small.slice(at, at + 2)));
}

/** By words, or by letters where no words are shared; a line that differs in blanks alone gets the highest value. */
function likenessOf(line: string, anchor: ReturnType<typeof chooseAnchor>, pairs: ReadonlySet<string>): number {
  if (line.trim() === anchor.line) return 2;
  const byWords = likenessOfWords(line, anchor);
  if (byWords >= minLikeness) return byWords;
  const byPairs = likenessOfPairs(line, pairs);
  return byPairs >= minLikenessOfPairs ? byPairs : 0;
}

/** Dice's coefficient. */
function likenessOfWords(line: string, anchor: ReturnType<typeof chooseAnchor>): number {
  const words = wordsOf(line);
  if (words.size === 0 || anchor.words.size === 0) return 0;
  let shared = 0;
  for (const word of anchor.words) if (words.has(word)) shared += 1;
  return (2 * shared) / (words.size + anchor.words.size);
}

/**
 * The lines most like a text that was not found, in their order. Its time is in proportion to the text. It pauses
 * often, so a long text delays no other request.
 */
export function* findNearestLines(text: string, sought: string): Generator<void, NearLine[]> {
  const anchor = chooseAnchor(sought);
  const pairs = pairsOf(anchor.line);
  let units = 0;
  const found: { line: number; text: string; likeness: number }[] = [];
  let number = 0;
  for (let start = 0; start <= text.length;) {
    const end = text.indexOf('\n', start);
    const stop = end < 0 ? text.length : end;
    number += 1;
    const line = text.slice(start, Math.min(stop, start + maxCompared));
    const likeness = likenessOf(line, anchor, pairs);
    if (likeness >= minLikeness) {
      found.push({ line: number, text: line.slice(0, maxShown).replace(/\p{Surrogate}/gu, ''), likeness });
      found.sort((a, b) => b.likeness - a.likeness || a.line - b.line);
      if (found.length > maxLines) found.pop();
    }
    units += line.length;
    if (number % linesBetweenPauses === 0 || units >= unitsBetweenPauses) {
      units = 0;
      yield;
    }
    start = stop + 1;
  }
  return found.toSorted((a, b) => a.line - b.line).map(({ line, text: shown }) => ({ line, text: shown }));
}
