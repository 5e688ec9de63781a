import { Closings, matchAt, readEntity, readTag } from './read-tag.js';
import type { ShownTextWriter, Span } from './shown-text.js';

/** Parentheses within each other in a link's target. */
const maxTargetDepth = 8;

const autolink = /<(?:[a-z][a-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>/iy;
const label = /\[([^\][]{0,200})\]/y;
/** Characters of a reference's label. */
const maxLabelLength = 200;
const punctuation = /[\p{P}\p{S}]/u;
const asciiWord = /^[0-9a-z]$/i;
const asciiPunctuation = /[!-/:-@[-`{-~]/;

const anyMark = /[*_~`[\]<&\\]/;
/** The same by character. */
const isMark = Uint8Array.from({ length: 128 }, (_, code) =>
  '*_~`[]<&\\'.includes(String.fromCharCode(code)) ? 1 : 0,
);

/** The form in which labels of references are compared. */
export function foldLabel(name: string): string {
  return name.replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

/** What is not shown, or something else instead of it. Places in the block. */
interface Cut {
  readonly start: number;
  end: number;
  readonly text: string;
}

/** A run of `*`, `_` or `~`. */
interface Run {
  readonly start: number;
  readonly unit: number;
  readonly length: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** Of its characters, those that are marks: the first ones close, the last ones open. */
  closing: number;
  opening: number;
}

interface Bracket {
  /** Is cut where it turns out to begin a link. */
  readonly cut: Cut;
  readonly isImage: boolean;
  /** Runs before it. */
  readonly runs: number;
}

/**
 * Shows the inline text of one block of Markdown (CommonMark 0.31 §6, with the strikethrough of GFM): without marks of
 * emphasis, code, links and images, without tags and escapes, and with entities decoded. Takes time in proportion to
 * the block.
 * @param block not cut within a mark
 * @param place of the block in the source
 * @param prefixes parts of the source that stand before its lines and are not shown, in order
 * @param labels of the references that are defined, folded
 */
export function showInlines(
  writer: ShownTextWriter,
  block: string,
  place: number,
  prefixes: readonly Span[],
  labels: ReadonlySet<string>,
): void {
  const found = anyMark.test(block) ? new InlineReader(block, labels).read() : [];
  let [kept, nextPrefix] = [0, 0];
  const keepUpTo = (end: number): void => {
    for (; nextPrefix < prefixes.length; nextPrefix += 1) {
      const prefix = prefixes[nextPrefix] as Span;
      if (prefix.start - place >= end) break;
      if (prefix.start - place > kept) writer.keep(place + kept, prefix.start);
      kept = Math.max(kept, prefix.end - place);
      if (kept > end) break;
    }
    if (kept < end) writer.keep(place + kept, place + end);
    kept = Math.max(kept, end);
  };
  for (const { start, end, text } of found) {
    keepUpTo(start);
    if (text !== '') writer.put(text, place + start);
    kept = Math.max(kept, end);
  }
  keepUpTo(block.length);
}

class InlineReader {
  readonly #block: string;
  readonly #labels: ReadonlySet<string>;
  readonly #closings: Closings;
  readonly #found: (Cut | Run)[] = [];
  readonly #runs: Run[] = [];
  readonly #brackets: Bracket[] = [];
  /** Brackets before this one stand around a link and begin none. */
  #closedBrackets = 0;
  /** The last character that is no mark because of a backslash. */
  #escaped = -1;
  #codeEnds: ReadonlyMap<number, number> | undefined;

  constructor(block: string, labels: ReadonlySet<string>) {
    this.#block = block;
    this.#labels = labels;
    this.#closings = new Closings(block);
  }

  read(): Cut[] {
    const block = this.#block;
    for (let at = 0; at < block.length;) {
      const unit = block.charCodeAt(at);
      at = unit < 128 && isMark[unit] === 1 ? this.#readMark(at, unit) : at + 1;
    }
    pairRuns(this.#runs);
    return this.#found.flatMap((each) => ('unit' in each ? cutsOf(each) : each.end > each.start ? [each] : []));
  }

  #cut(start: number, end: number, text = ''): Cut {
    const cut = { start, end, text };
    this.#found.push(cut);
    return cut;
  }

  /** @returns where to read on */
  #readMark(at: number, unit: number): number {
    const block = this.#block;
    switch (block.charAt(at)) {
      case '\\':
        return this.#readEscape(at);
      case '`':
        return this.#readCode(at);
      case '[': {
        const isImage = block.charAt(at - 1) === '!' && this.#escaped !== at - 1;
        const start = isImage ? at - 1 : at;
        this.#brackets.push({ cut: this.#cut(start, start), isImage, runs: this.#runs.length });
        return at + 1;
      }
      case ']':
        return this.#readLinkEnd(at);
      case '<':
        return this.#readAngle(at);
      case '&': {
        const read = readEntity(block, at);
        if (read === undefined) return at + 1;
        this.#cut(at, at + read.length, read.text);
        return at + read.length;
      }
      default:
        return this.#readRun(at, unit);
    }
  }

  #readEscape(at: number): number {
    const next = this.#block.charAt(at + 1);
    if (next !== '\n' && !asciiPunctuation.test(next)) return at + 1;
    this.#cut(at, at + 1);
    this.#escaped = at + 1;
    return at + 2;
  }

  #readCode(at: number): number {
    const block = this.#block;
    this.#codeEnds ??= findCodeEnds(block, at);
    let length = 1;
    while (block.charAt(at + length) === '`') length += 1;
    const end = this.#codeEnds.get(at);
    if (end === undefined) return at + length;
    const code = block.slice(at + length, end);
    // One blank on either side keeps backticks of the code apart from the marks.
    const isPadded = /^[ \n]/.test(code) && /[ \n]$/.test(code) && code.trim() !== '';
    this.#cut(at, at + length + (isPadded ? 1 : 0));
    this.#cut(isPadded ? end - 1 : end, end + length);
    return end + length;
  }

  #readAngle(at: number): number {
    const link = matchAt(autolink, this.#block, at)?.[0];
    if (link !== undefined) {
      this.#cut(at, at + 1);
      this.#cut(at + link.length - 1, at + link.length);
      return at + link.length;
    }
    const tag = readTag(this.#block, at, this.#closings);
    if (tag === undefined) return at + 1;
    this.#cut(at, tag.end, tag.text);
    return tag.end;
  }

  #readLinkEnd(at: number): number {
    const block = this.#block;
    const bracket = this.#brackets.pop();
    const isClosed = this.#brackets.length < this.#closedBrackets;
    this.#closedBrackets = Math.min(this.#closedBrackets, this.#brackets.length);
    if (bracket === undefined || (isClosed && !bracket.isImage)) return at + 1;
    const inline = block.charAt(at + 1) === '(' ? endOfTarget(block, at + 1) : undefined;
    const end = inline ?? this.#endOfReference(at, bracket);
    if (end === undefined) return at + 1;
    bracket.cut.end = bracket.cut.start + (bracket.isImage ? 2 : 1);
    this.#cut(at, end);
    // Marks in a link's words have nothing to do with those around it.
    pairRuns(this.#runs.splice(bracket.runs));
    if (!bracket.isImage) this.#closedBrackets = this.#brackets.length;
    return end;
  }

  /** `[words][label]`, `[label][]` or `[label]`, where the label is defined. */
  #endOfReference(at: number, { cut, isImage }: Bracket): number | undefined {
    if (this.#labels.size === 0) return undefined;
    const [found, named = ''] = matchAt(label, this.#block, at + 1) ?? [];
    const start = cut.start + (isImage ? 2 : 1);
    if (named === '' && at - start > maxLabelLength) return undefined;
    const name = foldLabel(named === '' ? this.#block.slice(start, at) : named);
    return this.#labels.has(name) ? at + 1 + (found?.length ?? 0) : undefined;
  }

  #readRun(start: number, unit: number): number {
    const block = this.#block;
    let end = start + 1;
    while (block.charCodeAt(end) === unit) end += 1;
    const [before, after] = [kindBefore(block, start), kindAfter(block, end)];
    const opens = after !== 'blank' && (after === 'letter' || before !== 'letter');
    const closes = before !== 'blank' && (before === 'letter' || after !== 'letter');
    const isUnderscore = unit === 0x5f;
    const canOpen = opens && (!isUnderscore || !closes || before === 'sign');
    const canClose = closes && (!isUnderscore || !opens || after === 'sign');
    if (!canOpen && !canClose) return end;
    const run = { start, unit, length: end - start, canOpen, canClose, closing: 0, opening: 0 };
    this.#found.push(run);
    this.#runs.push(run);
    return end;
  }
}

type Kind = 'blank' | 'sign' | 'letter';

function kindBefore(block: string, at: number): Kind {
  if (at === 0) return 'blank';
  const unit = block.charCodeAt(at - 1);
  const isSecondHalf = (unit & 0xfc00) === 0xdc00;
  return kindOf(isSecondHalf ? block.slice(Math.max(0, at - 2), at) : block.charAt(at - 1));
}

function kindAfter(block: string, at: number): Kind {
  if (at >= block.length) return 'blank';
  return kindOf(String.fromCodePoint(block.codePointAt(at) ?? 0x20));
}

function kindOf(character: string): Kind {
  if (asciiWord.test(character)) return 'letter';
  if (/\s/u.test(character)) return 'blank';
  return punctuation.test(character) ? 'sign' : 'letter';
}

const isTilde = ({ unit }: Run): boolean => unit === 0x7e;
const leftOf = ({ length, closing, opening }: Run): number => length - closing - opening;

function canPair(opener: Run, closer: Run): boolean {
  if (opener.unit !== closer.unit) return false;
  if (isTilde(opener)) return opener.length === closer.length && opener.length <= 2;
  const isBoth = opener.canClose || closer.canOpen;
  return !isBoth || closer.length % 3 === 0 || (opener.length + closer.length) % 3 !== 0;
}

/** Finds the pairs of marks (the algorithm in the appendix of CommonMark). */
function pairRuns(runs: readonly Run[]): void {
  const open: Run[] = [];
  /** Below this none is open for closers of the kind. */
  const floors = new Map<number, number>();
  for (const run of runs) {
    const kind = run.unit * 8 + (run.length % 3) * 2 + (run.canOpen ? 1 : 0);
    // Tildes go by their own length, of which two can pair.
    const key = isTilde(run) ? -Math.min(run.length, 3) : kind;
    while (run.canClose && leftOf(run) > 0) {
      const floor = floors.get(key) ?? 0;
      let at = open.length - 1;
      while (at >= floor && !canPair(open[at] as Run, run)) at -= 1;
      if (at < floor) {
        floors.set(key, open.length);
        break;
      }
      const opener = open[at] as Run;
      const count = Math.min(leftOf(opener), leftOf(run));
      const taken = isTilde(run) ? count : Math.min(count, 2);
      opener.opening += taken;
      run.closing += taken;
      open.length = leftOf(opener) > 0 ? at + 1 : at;
      for (const [each, value] of floors) if (value > open.length) floors.set(each, open.length);
    }
    if (run.canOpen && leftOf(run) > 0) open.push(run);
  }
}

function cutsOf({ start, length, closing, opening }: Run): Cut[] {
  const cuts: Cut[] = [];
  if (closing > 0) cuts.push({ start, end: start + closing, text: '' });
  if (opening > 0) cuts.push({ start: start + length - opening, end: start + length, text: '' });
  return cuts;
}

/** For each run of backticks from there on the next one of the same length, where there is one. */
function findCodeEnds(block: string, from: number): Map<number, number> {
  const runs: Span[] = [];
  for (let start = block.indexOf('`', from); start >= 0;) {
    let end = start + 1;
    while (block.charAt(end) === '`') end += 1;
    runs.push({ start, end });
    start = block.indexOf('`', end);
  }
  const ends = new Map<number, number>();
  const next = new Map<number, number>();
  for (const { start, end } of runs.reverse()) {
    const found = next.get(end - start);
    if (found !== undefined) ends.set(start, found);
    next.set(end - start, start);
  }
  return ends;
}

/** The end of a link's target with its title, which begins with a parenthesis here; undefined for none. */
function endOfTarget(block: string, start: number): number | undefined {
  let at = afterSpace(block, start + 1);
  if (block.charAt(at) === '<') {
    at += 1;
    while (at < block.length && !'<>\n'.includes(block.charAt(at))) at += block.charAt(at) === '\\' ? 2 : 1;
    if (block.charAt(at) !== '>') return undefined;
    at += 1;
  } else {
    let depth = 0;
    for (; at < block.length; at += 1) {
      const character = block.charAt(at);
      if (character === '\\' && asciiPunctuation.test(block.charAt(at + 1))) at += 1;
      else if (character === '(') depth += 1;
      else if (character === ')' && depth === 0) return at + 1;
      else if (character === ')') depth -= 1;
      else if (character <= ' ') break;
      if (depth > maxTargetDepth) return undefined;
    }
    if (depth > 0) return undefined;
  }
  const title = afterSpace(block, at);
  const opening = block.charAt(title);
  if (title > at && (opening === '"' || opening === "'" || opening === '(')) {
    const closing = opening === '(' ? ')' : opening;
    const stops = opening === '(' ? '()' : opening;
    at = title + 1;
    while (at < block.length && !stops.includes(block.charAt(at))) {
      at += block.charAt(at) === '\\' ? 2 : 1;
    }
    if (block.charAt(at) !== closing) return undefined;
    at += 1;
  }
  at = afterSpace(block, at);
  return block.charAt(at) === ')' ? at + 1 : undefined;
}

function afterSpace(block: string, start: number): number {
  let at = start;
  while (at < block.length && block.charAt(at) <= ' ') at += 1;
  return at;
}
