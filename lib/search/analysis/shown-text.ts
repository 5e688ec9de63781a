/** A part of a text: [start, end) in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text as it is shown, with the places of its characters in the source. Offsets in UTF-16 units. */
export class ShownText {
  readonly text: string;
  /** Where stretches without a change begin, in the shown text and in the source. Both rise. */
  readonly #shownAt: readonly number[];
  readonly #sourceAt: readonly number[];

  constructor(text: string, shownAt: readonly number[] = [0], sourceAt: readonly number[] = [0]) {
    this.text = text;
    this.#shownAt = shownAt;
    this.#sourceAt = sourceAt;
  }

  /** The place in the source of what is shown at the offset. */
  placeOf(offset: number): number {
    const at = Math.max(0, lastUpTo(this.#shownAt, offset));
    return (this.#sourceAt[at] ?? 0) + offset - (this.#shownAt[at] ?? 0);
  }

  /** The offset of the first thing shown that stands at this place of the source, or behind it. */
  offsetOf(place: number): number {
    const at = lastUpTo(this.#sourceAt, place);
    if (at < 0) return 0;
    const offset = (this.#shownAt[at] ?? 0) + place - (this.#sourceAt[at] ?? 0);
    return Math.min(offset, this.#shownAt[at + 1] ?? this.text.length);
  }
}

/** Index of the last of the rising numbers that is not above the limit; -1 where all are. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Collected pieces that are joined: a million at once would take too long. */
const piecesAtOnce = 4096;

/** Makes a shown text of what is kept of a source, from its beginning to its end. */
export class ShownTextWriter {
  readonly #source: string;
  readonly #from: number;
  readonly #to: number;
  readonly #parts: string[] = [];
  #pieces: string[] = [];
  #length = 0;
  readonly #shownAt: number[] = [];
  readonly #sourceAt: number[] = [];
  /** What is kept next, and not written yet. */
  #start = 0;
  #end = 0;

  /** @param span only what stands in this part of the source is written */
  constructor(source: string, { start, end }: Span) {
    this.#source = source;
    this.#from = start;
    this.#to = end;
  }

  /** This part of the source is shown as it is. */
  keep(start: number, end: number): void {
    if (start !== this.#end) {
      this.#flush();
      this.#start = start;
    }
    this.#end = end;
  }

  /** This text is shown for what stands at the place of the source; it is no longer than that. */
  put(text: string, place: number): void {
    this.#flush();
    this.#start = this.#end;
    if (place >= this.#from && place < this.#to) this.#add(text, place);
  }

  finish(): ShownText {
    this.#flush();
    return new ShownText(this.#parts.join('') + this.#pieces.join(''), this.#shownAt, this.#sourceAt);
  }

  #flush(): void {
    const [start, end] = [Math.max(this.#start, this.#from), Math.min(this.#end, this.#to)];
    if (start < end) this.#add(this.#source.slice(start, end), start);
    this.#start = this.#end;
  }

  #add(text: string, place: number): void {
    this.#shownAt.push(this.#length);
    this.#sourceAt.push(place);
    this.#length += text.length;
    this.#pieces.push(text);
    if (this.#pieces.length < piecesAtOnce) return;
    this.#parts.push(this.#pieces.join(''));
    this.#pieces = [];
  }
}

/** White space other than a single blank, which most of it is. */
const runOfSpace = /[^\S ]\s*| \s+/gu;

/** The same with each run of white space as one blank, and none at either end. */
export function joinLines(shown: ShownText): ShownText {
  const { text } = shown;
  const end = text.trimEnd().length;
  const start = Math.min(end, text.length - text.trimStart().length);
  const pieces: string[] = [];
  const [shownAt, sourceAt] = [[] as number[], [] as number[]];
  let length = 0;
  const keep = (from: number, to: number): void => {
    pieces.push(text.slice(from, to));
    shownAt.push(length);
    sourceAt.push(from);
    length += to - from + 1;
  };
  let from = start;
  for (const { 0: space, index } of text.slice(0, end).matchAll(runOfSpace)) {
    if (index < start) continue;
    keep(from, index);
    from = index + space.length;
  }
  keep(from, end);
  const lines = new ShownText(pieces.join(' '), shownAt, sourceAt);
  return new JoinedLines(lines, shown);
}

/** Two steps from the source. */
class JoinedLines extends ShownText {
  readonly #lines: ShownText;
  readonly #shown: ShownText;

  constructor(lines: ShownText, shown: ShownText) {
    super(lines.text);
    this.#lines = lines;
    this.#shown = shown;
  }

  override placeOf(offset: number): number {
    return this.#shown.placeOf(this.#lines.placeOf(offset));
  }

  override offsetOf(place: number): number {
    return this.#lines.offsetOf(this.#shown.offsetOf(place));
  }
}
