/**
 * Unicode writes many characters in two forms: `é` is one character composed (NFC), and two decomposed (NFD), as macOS
 * and some imports write it. They look the same. Here words are found in either form, while the text keeps its own.
 */

/**
 * A character and what composes with it: marks, and the vowels and final consonants of Korean. The engine takes the
 * square of the length of a run of marks, so a long run is cut.
 */
const cluster = /[^][\p{M}\u1160-\u11ff\ud7b0-\ud7fb]{0,30}/gu;
/** Runs of clusters in which something can change: those with a character beyond ASCII. */
const beyondAscii = /[\0-\x7f]?[^\0-\x7f]+/g;
/** UTF-16 units of clusters between two pauses: thirty marks in disorder take some microseconds. */
const unitsBetweenPauses = 8192;
/**
 * What a text has that is not in form C: marks, parts of Korean syllables, and characters that the form replaces by
 * themselves. Others may match as well.
 */
const perhapsOtherForm =
  /[\p{M}\u0374\u037e\u0387\u0958-\u095f\u09dc-\u09df\u0a33-\u0a36\u0a59-\u0a5e\u0b5c\u0b5d\u0f43-\u0f69\u1160-\u11ff\u1f71-\u1ffd\u2000\u2001\u2126-\u212b\u2329\u232a\u2adc\ud7b0-\ud7fb\uf900-\ufb4f\u{1d15e}-\u{1d1c0}\u{2f800}-\u{2fa1f}]/u;

/** A text in its composed form, and its places in the text as it was. */
export interface ComposedText {
  readonly text: string;
  /** Ends of the changed clusters in the composed text, rising. */
  readonly ends: readonly number[];
  /** Their starts there. */
  readonly starts: readonly number[];
  /** Their ends in the text as it was. */
  readonly rawEnds: readonly number[];
}

/** Composes a text (Unicode Standard Annex 15, form C) cluster by cluster, in time in proportion to its length. */
export function* composeText(raw: string): Generator<void, ComposedText> {
  if (!perhapsOtherForm.test(raw)) return { text: raw, starts: [], ends: [], rawEnds: [] };
  const pieces: string[] = [];
  const [starts, ends, rawEnds]: [number[], number[], number[]] = [[], [], []];
  let copied = 0;
  let length = 0;
  let count = 0;
  for (const { 0: run, index } of raw.matchAll(beyondAscii)) {
    for (const { 0: found, index: within } of run.matchAll(cluster)) {
      count += found.length;
      if (count >= unitsBetweenPauses) {
        yield;
        count = 0;
      }
      const composed = found.normalize('NFC');
      if (composed === found) continue;
      const at = index + within;
      pieces.push(raw.slice(copied, at), composed);
      length += at - copied;
      starts.push(length);
      length += composed.length;
      ends.push(length);
      copied = at + found.length;
      rawEnds.push(copied);
    }
  }
  pieces.push(raw.slice(copied));
  return { text: pieces.join(''), starts, ends, rawEnds };
}

/** The place in the text as it was; undefined for a place within a changed cluster. */
export function placeInRaw({ starts, ends, rawEnds }: ComposedText, place: number): number | undefined {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  if ((starts[low] ?? Number.POSITIVE_INFINITY) < place) return undefined;
  return low === 0 ? place : (rawEnds[low - 1] ?? 0) + place - (ends[low - 1] ?? 0);
}

/** The text decomposed (form D), cluster by cluster. */
export function* decomposeText(text: string): Generator<void, string> {
  const pieces: string[] = [];
  let copied = 0;
  let count = 0;
  for (const { 0: run, index } of text.matchAll(beyondAscii)) {
    pieces.push(text.slice(copied, index));
    copied = index + run.length;
    for (const [found] of run.matchAll(cluster)) {
      count += found.length;
      if (count >= unitsBetweenPauses) {
        yield;
        count = 0;
      }
      pieces.push(found.normalize('NFD'));
    }
  }
  pieces.push(text.slice(copied));
  return pieces.join('');
}
