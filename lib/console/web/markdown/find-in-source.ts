import type { Stretch } from './align.ts';

/** The parts of a shown source: each names its offset, and holds one text. */
function partsOf(root: Element): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('[data-at]')];
}

const offsetOf = (part: HTMLElement): number => Number(part.dataset['at']);

/** The units of the source that a part stands for. A hidden character is shown by a longer code. */
function lengthOf(part: HTMLElement): number {
  return part.dataset['hidden'] === undefined ? (part.textContent?.length ?? 0) : 1;
}

/** The ranges that show a passage of the source. */
export function sourceRangesOf(root: Element, passage: Stretch): Range[] {
  return partsOf(root).flatMap((part) => {
    const text = part.firstChild;
    const start = offsetOf(part);
    const from = Math.max(0, passage.start - start);
    const to = Math.min(lengthOf(part), passage.end - start);
    if (text === null || from >= to) return [];
    const range = document.createRange();
    if (part.dataset['hidden'] === undefined) {
      range.setStart(text, from);
      range.setEnd(text, to);
    } else range.selectNodeContents(text);
    return [range];
  });
}

/** The passage of the source that is selected; undefined where the selection holds none of it. */
export function sourcePassageOf(root: Element, selected: Range): Stretch | undefined {
  let start = Infinity;
  let end = -1;
  for (const part of partsOf(root)) {
    const text = part.firstChild;
    if (text === null || !selected.intersectsNode(text)) continue;
    const isHidden = part.dataset['hidden'] !== undefined;
    const from = text === selected.startContainer && !isHidden ? selected.startOffset : 0;
    const to = text === selected.endContainer && !isHidden ? selected.endOffset : lengthOf(part);
    if (to <= from) continue;
    start = Math.min(start, offsetOf(part) + from);
    end = Math.max(end, offsetOf(part) + to);
  }
  return end < 0 ? undefined : { start, end };
}
