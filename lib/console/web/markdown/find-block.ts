import { align, toShown, toSource, type Stretch } from './align.ts';

/** The texts below an element, in their order. */
function textsIn(element: Element): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) texts.push(node as Text);
  return texts;
}

/** Offsets of the starts of all lines of a text, and its end. */
export function startsOfLines(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  starts.push(text.length);
  return starts;
}

interface Block {
  readonly element: Element;
  /** Its lines in the source. */
  readonly stretch: Stretch;
}

/** The smallest blocks of the rendered text: those that no other block divides. */
function listBlocks(root: Element, starts: readonly number[]): Block[] {
  return [...root.querySelectorAll('[data-lines]')].flatMap((element) => {
    if (element.querySelector('[data-lines]') !== null && element.tagName !== 'LI') return [];
    const [first = Number.NaN, last = Number.NaN] = (element.getAttribute('data-lines') ?? '').split(' ').map(Number);
    const start = starts[first];
    const end = starts[last] ?? starts.at(-1);
    return start === undefined || end === undefined ? [] : [{ element, stretch: { start, end } }];
  });
}

/** A place in the page, counted in the text of a block, as a boundary of a range. */
function boundaryAt(texts: readonly Text[], offset: number, isEnd: boolean): [Text, number] | undefined {
  let before = 0;
  for (const text of texts) {
    const within = offset - before;
    if (within < text.length || (isEnd && within === text.length)) return [text, within];
    before += text.length;
  }
  return undefined;
}

/**
 * The ranges of the page that show a passage of the source, block by block.
 * @param passage offsets into `source`
 */
export function rangesOf(root: Element, source: string, starts: readonly number[], passage: Stretch): Range[] {
  return listBlocks(root, starts).flatMap(({ element, stretch }) => {
    if (stretch.end <= passage.start || stretch.start >= passage.end) return [];
    const texts = textsIn(element);
    const shown = texts.map(({ data }) => data).join('');
    const places = align(shown, source.slice(stretch.start, stretch.end));
    const within = { start: passage.start - stretch.start, end: passage.end - stretch.start };
    const found = toShown(places, within);
    const from = found && boundaryAt(texts, found.start, false);
    const to = found && boundaryAt(texts, found.end, true);
    if (from === undefined || to === undefined) return [];
    const range = document.createRange();
    range.setStart(...from);
    range.setEnd(...to);
    return [range];
  });
}

/**
 * The passage of the source that a selection in the page shows.
 * @returns undefined where the selection holds no text of the document
 */
export function passageOf(
  root: Element,
  source: string,
  starts: readonly number[],
  selected: Range,
): Stretch | undefined {
  let start = Infinity;
  let end = -1;
  for (const { element, stretch } of listBlocks(root, starts)) {
    if (!selected.intersectsNode(element)) continue;
    const texts = textsIn(element);
    const shown = shownWithin(texts, selected);
    if (shown === undefined) continue;
    const places = align(texts.map(({ data }) => data).join(''), source.slice(stretch.start, stretch.end));
    const found = toSource(places, shown);
    if (found === undefined) continue;
    start = Math.min(start, stretch.start + found.start);
    end = Math.max(end, stretch.start + found.end);
  }
  return end < 0 ? undefined : { start, end };
}

/** The selected stretch of a block's text, without spaces at its ends. */
function shownWithin(texts: readonly Text[], selected: Range): Stretch | undefined {
  let before = 0;
  let start = -1;
  let end = -1;
  for (const text of texts) {
    if (selected.intersectsNode(text)) {
      const from = text === selected.startContainer ? selected.startOffset : 0;
      const to = text === selected.endContainer ? selected.endOffset : text.length;
      if (to > from) {
        if (start < 0) start = before + from;
        end = before + to;
      }
    }
    before += text.length;
  }
  return start < 0 ? undefined : { start, end };
}
