import type { Steps } from '../../scheduling/in-steps.js';
import { endOfFrontMatter } from './front-matter.js';
import {
  afterQuote,
  closesFence,
  indentOf,
  isBlank,
  isRule,
  noMarks,
  readFence,
  readHeading,
  readMarks,
  type Fence,
  type Marks,
} from './markdown-lines.js';
import type { Lookback } from './lookback.js';
import { Closings, startOfTag } from './read-tag.js';
import { foldLabel, showInlines } from './show-inlines.js';
import { ShownTextWriter, type ShownText, type Span } from './shown-text.js';

/** A longer paragraph is read in parts: a mark is closed within one. A text is read from so far before a part of it. */
const maxBlockLength = 8192;
const maxCommentLength = 10_000;

/** A line that begins a block whatever stands before it: no list goes on in it. */
const baseLine = /\n[ \t]*\r?\n(?=[^\s>|+*\-0-9])/g;
/** A label with its target, which may stand on the next line, and the rest of that line. */
const definition = /^\[(?!\^)[^\][\n]{1,200}\]:[ \t]*(?:\r?\n[ \t]*)?\S[^\n]*/;
const maxDefinitionLength = 2_300;
const fenceSigns = ['```', '~~~'] as const;

/** What is known of the text before a place. */
interface Start {
  readonly at: number;
  readonly fence: Fence | undefined;
  /** Whether a list may go on there, in which an indented line is no code. */
  readonly isInList: boolean;
}

/**
 * Shows a part of a Markdown text. Blocks are told apart line by line: of lists and quotes only the marks are read, so
 * that code in a list stands in fences, and a paragraph in one is never code.
 */
export function* showMarkdown(source: string, span: Span, withTargets: boolean, lookback: Lookback): Steps<ShownText> {
  const start = yield* findStart(source, span.start, lookback);
  lookback.labels ??= yield* findLabels(source);
  return yield* new BlockReader(source, span, withTargets, lookback.labels, start).read();
}

/** Units between two pauses. */
const unitsAtOnce = 64 * 1024;

class BlockReader {
  readonly #source: string;
  readonly #end: number;
  readonly #withTargets: boolean;
  readonly #labels: ReadonlySet<string>;
  readonly #writer: ShownTextWriter;
  readonly #closings: Closings;
  #at: number;
  #fence: Fence | undefined;
  #isInList: boolean;
  #isInCode = false;
  #isInTable = false;
  /** The lines that were read and belong to one block: where they start, and the last of them. */
  #block = -1;
  #lastLine = -1;
  #prefixes: Span[] = [];

  constructor(
    source: string,
    span: Span,
    withTargets: boolean,
    labels: ReadonlySet<string>,
    { at, fence, isInList }: Start,
  ) {
    this.#source = source;
    this.#end = span.end;
    this.#withTargets = withTargets;
    this.#labels = labels;
    this.#writer = new ShownTextWriter(source, span);
    this.#closings = new Closings(source);
    this.#at = at;
    this.#fence = fence;
    this.#isInList = isInList;
  }

  *read(): Steps<ShownText> {
    const source = this.#source;
    let pauseAt = this.#at + unitsAtOnce;
    // A block that goes on behind the end is read whole.
    while (this.#at < this.#end || (this.#block >= 0 && this.#block < this.#end && this.#at < source.length)) {
      const end = Math.min(this.#closings.after('\n', this.#at), source.length, this.#at + maxBlockLength);
      this.#readLine(this.#at, end, source.charAt(end) === '\n' ? end + 1 : end);
      if (this.#at < pauseAt) continue;
      pauseAt = this.#at + unitsAtOnce;
      yield;
    }
    this.#endBlock(this.#at);
    return this.#writer.finish();
  }

  /** @param end before the end of the line @param next behind it */
  #readLine(start: number, end: number, next: number): void {
    const source = this.#source;
    if (this.#fence !== undefined) {
      if (closesFence(source, start, end, this.#fence)) this.#fence = undefined;
      else this.#writer.keep(this.#fence.isQuoted ? afterQuote(source, start, end) : start, next);
      this.#at = next;
      return;
    }
    const indent = indentOf(source, start, end);
    if (indent >= 4 && this.#isCodeAfter(start, end)) {
      this.#isInCode = true;
      this.#writer.keep(start, next);
      this.#at = next;
      return;
    }
    if (this.#endsTag(start, end)) {
      this.#addLine(start, start, noMarks, next);
      return;
    }
    const marks = readMarks(source, start, end);
    if (marks.content >= end) {
      this.#endBlock(start);
      this.#writer.keep(end, next);
      this.#isInTable = false;
      if (marks.isItem) this.#isInList = true;
      this.#at = next;
      return;
    }
    this.#isInCode = false;
    if (marks.isItem) this.#isInList = true;
    else if (indent === 0 && this.#block < 0) this.#isInList = false;
    this.#readContent(marks, start, end, next);
  }

  /** Whether the sign at the beginning of the line is no quote, but ends a tag of several lines. */
  #endsTag(start: number, end: number): boolean {
    if (this.#block < 0) return false;
    let at = start;
    while (at < end && isBlank(this.#source.charCodeAt(at))) at += 1;
    if (this.#source.charAt(at) !== '>' || this.#source.charAt(this.#block) !== '<') return false;
    const before = this.#source.slice(this.#lastLine, start);
    return before.lastIndexOf('<') >= before.lastIndexOf('>');
  }

  #isCodeAfter(start: number, end: number): boolean {
    if (this.#isInCode) return true;
    return this.#block < 0 && !this.#isInList && readMarks(this.#source, start, end).content < end;
  }

  #readContent({ content, isItem, hidden }: Marks, start: number, end: number, next: number): void {
    const source = this.#source;
    const fence = readFence(source, start, content, end);
    if (fence !== undefined) {
      this.#endBlock(start);
      this.#fence = fence;
      this.#at = next;
      return;
    }
    if (isRule(source, content, end)) {
      this.#readRule(start, content, end, next);
      return;
    }
    const comment = this.#endOfComment(content);
    if (comment > end) {
      this.#endBlock(start);
      this.#at = comment;
      return;
    }
    const heading = readHeading(source, content, end);
    const isRow = this.#isInTable || source.charAt(content) === '|';
    if (isItem || isRow || heading !== undefined || this.#block < 0) this.#endBlock(start);
    if (heading !== undefined) {
      this.#showBlock(heading.start, heading.end, []);
      this.#writer.keep(end, next);
      this.#at = next;
    } else if (isRow) {
      this.#showRow(start, hidden, end, next);
    } else {
      const behind = this.#endOfDefinition(content);
      if (behind < 0) this.#addLine(start, content, hidden, next);
      else if (this.#withTargets) this.#writer.keep(start, behind);
      if (behind >= 0) this.#at = behind;
    }
  }

  /** -1 where there is none. */
  #endOfDefinition(content: number): number {
    const source = this.#source;
    if (this.#block >= 0 || this.#labels.size === 0 || source.charAt(content) !== '[') return -1;
    const found = definition.exec(source.slice(content, content + maxDefinitionLength))?.[0];
    return found === undefined ? -1 : content + found.length;
  }

  /** A line of signs alone: under a heading or the head of a table, or between two parts. */
  #readRule(start: number, content: number, end: number, next: number): void {
    const rule = this.#source.slice(content, Math.min(end, content + maxBlockLength));
    const isOfTable = rule.includes('|') && rule.includes('-');
    if (isOfTable && this.#block >= 0) {
      const head = this.#lastLine;
      this.#endBlock(head);
      this.#showRow(head, readMarks(this.#source, head, start).hidden, start - 1, start);
    }
    this.#endBlock(start);
    this.#isInTable ||= isOfTable;
    this.#writer.keep(end, next);
    this.#at = next;
  }

  #endOfComment(content: number): number {
    if (!this.#source.startsWith('<!--', content)) return -1;
    const end = this.#closings.after('-->', content + 4) + 3;
    return end - content > maxCommentLength ? -1 : end;
  }

  #addLine(start: number, content: number, hidden: readonly Span[], next: number): void {
    if (this.#block < 0) this.#block = start;
    this.#lastLine = start;
    if (content > start) this.#prefixes.push(...hidden);
    this.#at = next;
    if (this.#at - this.#block <= 2 * maxBlockLength) return;
    this.#endBlock(start);
    [this.#block, this.#lastLine] = [start, start];
  }

  /** Shows the lines of the block up to this place. */
  #endBlock(end: number): void {
    if (this.#block < 0) return;
    const [start, prefixes] = [this.#block, this.#prefixes];
    [this.#block, this.#lastLine] = [-1, -1];
    this.#prefixes = prefixes.filter((prefix) => prefix.start >= end);
    this.#showBlock(start, end, prefixes);
  }

  #showBlock(start: number, end: number, prefixes: readonly Span[]): void {
    if (start >= end) return;
    showInlines(this.#writer, this.#source.slice(start, end), start, prefixes, this.#labels);
  }

  /** The cells of a row; no mark goes over a border. */
  #showRow(start: number, hidden: readonly Span[], end: number, next: number): void {
    const source = this.#source;
    let cell = start;
    let escapes = [...hidden];
    for (let at = start; at <= end; at += 1) {
      if (source.charAt(at) === '\\') {
        // A border is escaped in code, too.
        if (source.charAt(at + 1) === '|') escapes.push({ start: at, end: at + 1 });
        at += 1;
      } else if (at === end || source.charAt(at) === '|' || at - cell >= maxBlockLength) {
        this.#showBlock(cell, at, escapes);
        escapes = [];
        const isBorder = at < end && source.charAt(at) === '|';
        if (isBorder) this.#writer.put(' ', at);
        cell = isBorder ? at + 1 : at;
      }
    }
    if (cell < end) this.#showBlock(cell, end, escapes);
    this.#writer.keep(end, next);
    this.#at = next;
  }
}

/** Fences, or definitions, between two pauses. */
const fencesAtOnce = 10_000;
/** Ends of labels that are looked at. */
const maxDefinitions = 20_000;
/** Of a definition, before the end of its label. */
const maxLabelStart = 210;
const labelStart = /(?:^|\n) {0,3}\[(?!\^)([^\][\n]{1,200})$/;

/** The labels of the references that a text defines. */
function* findLabels(source: string): Steps<Set<string>> {
  const labels = new Set<string>();
  let at = source.indexOf(']:');
  for (let count = 1; at >= 0 && count <= maxDefinitions; count += 1) {
    const found = labelStart.exec(source.slice(Math.max(0, at - maxLabelStart), at))?.[1];
    if (found !== undefined) labels.add(foldLabel(found));
    at = source.indexOf(']:', at + 2);
    if (count % fencesAtOnce === 0) yield;
  }
  return labels;
}

/** Where to begin so that a part is read as it is within the whole: at a line before it, with what goes on there. */
function* findStart(source: string, start: number, lookback: Lookback): Steps<Start> {
  const front = endOfFrontMatter(source);
  const least = Math.max(front, start - maxBlockLength);
  if (least === front) return { at: front, fence: undefined, isInList: false };
  const before = source.slice(least, start + 1);
  const base = Array.from(before.matchAll(baseLine)).at(-1);
  if (base !== undefined) {
    const at = least + base.index + base[0].length;
    return { at, fence: yield* fenceAt(source, front, at, lookback), isInList: false };
  }
  const lineWith = (place: number): number => least + before.lastIndexOf('\n', place - least - 1) + 1;
  const line = lineWith(start);
  // A tag can go over lines.
  const at = lineWith(startOfTag(source, line) ?? line);
  return { at, fence: yield* fenceAt(source, front, at, lookback), isInList: true };
}

/** The fence within which the line at this place stands. */
function* fenceAt(source: string, front: number, place: number, lookback: Lookback): Steps<Fence | undefined> {
  const isBehind = lookback.fences !== undefined && lookback.fences.at <= place;
  const known =
    isBehind && lookback.fences ? lookback.fences : { at: front, open: undefined, closings: new Closings(source) };
  lookback.fences = known;
  for (let count = 1; known.at < place; count += 1) {
    const { at, open, closings } = known;
    const found = Math.min(...fenceSigns.map((sign) => closings.after(sign, at)));
    if (found >= place) break;
    const start = Math.max(at, source.lastIndexOf('\n', found) + 1);
    const feed = source.indexOf('\n', found);
    const end = feed < 0 ? source.length : feed;
    if (open === undefined) known.open = readFence(source, start, readMarks(source, start, end).content, end);
    else if (closesFence(source, start, end, open)) known.open = undefined;
    known.at = end + 1;
    if (count % fencesAtOnce === 0) yield;
  }
  return known.open;
}
