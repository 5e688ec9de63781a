import { EditorSelection, type ChangeSpec, type EditorState, type StateCommand } from '@codemirror/state';

/** The marks around words. */
export type WordMark = '**' | '_' | '`';

/**
 * Puts the selected words between marks, or takes the marks away. With nothing selected, the word at the cursor; where
 * there is none, the marks with the cursor between them.
 */
export function toggleMark(mark: WordMark): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const change = state.changeByRange((range) => {
      const length = mark.length;
      const isBetween = isMarked(state, range, mark);
      const { from, to } = trimBlanks(state, range.empty && !isBetween ? (state.wordAt(range.head) ?? range) : range);
      if (isBetween || isMarked(state, { from, to }, mark)) {
        const cursor = range.empty
          ? EditorSelection.cursor(range.head - length)
          : EditorSelection.range(from - length, to - length);
        return {
          changes: [
            { from: from - length, to: from },
            { from: to, to: to + length },
          ],
          range: cursor,
        };
      }
      const selected = state.sliceDoc(from, to);
      const isMarkedInside = selected.length > 2 * length && selected.startsWith(mark) && selected.endsWith(mark);
      if (isMarkedInside) {
        const changes = [
          { from, to: from + length },
          { from: to - length, to },
        ];
        const cursor = range.empty
          ? EditorSelection.cursor(range.head - length)
          : EditorSelection.range(from, to - 2 * length);
        return { changes, range: cursor };
      }
      const cursor = range.empty
        ? EditorSelection.cursor(range.head + length)
        : EditorSelection.range(from + length, to + length);
      return {
        changes: [
          { from, insert: mark },
          { from: to, insert: mark },
        ],
        range: cursor,
      };
    });
    dispatch(state.update(change, { userEvent: 'input.format', scrollIntoView: true }));
    return true;
  };
}

/** Whether the mark stands right before and after. */
function isMarked(state: EditorState, { from, to }: { from: number; to: number }, mark: WordMark): boolean {
  const { length } = mark;
  return state.sliceDoc(Math.max(0, from - length), from) === mark && state.sliceDoc(to, to + length) === mark;
}

/** Marks mean nothing beside a blank, so they go around the words alone. */
function trimBlanks(state: EditorState, { from, to }: { from: number; to: number }): { from: number; to: number } {
  const text = state.sliceDoc(from, to);
  const start = text.length - text.trimStart().length;
  return start === text.length ? { from, to } : { from: from + start, to: from + text.trimEnd().length };
}

const addressPattern = /^(?:https?:\/\/|mailto:)\S{1,2000}$/;

/** Makes the selected words a link, with the cursor where the address goes; a selected address gets room for words. */
export const insertLink: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const change = state.changeByRange(({ from, to }) => {
    const selected = state.sliceDoc(from, to);
    const isAddress = addressPattern.test(selected);
    const insert = isAddress ? `[](${selected})` : `[${selected}]()`;
    const cursor = isAddress || selected === '' ? from + 1 : from + selected.length + 3;
    return { changes: { from, to, insert }, range: EditorSelection.cursor(cursor) };
  });
  dispatch(state.update(change, { userEvent: 'input.format', scrollIntoView: true }));
  return true;
};

/** What a line can start with. */
export type LineMark = 'heading' | 'bullet' | 'number' | 'quote';

const marksOfLines: Readonly<Record<LineMark, RegExp>> = {
  heading: /^#{1,6} /,
  bullet: /^[-*+] /,
  number: /^\d{1,9}[.)] /,
  quote: /^> ?/,
};
const listMark = /^(?:[-*+]|\d{1,9}[.)]) /;

/** Makes the selected lines a heading, a list or a quotation; lines that all are one already become plain. */
export function toggleLines(mark: LineMark): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const lines = selectedLines(state);
    const pattern = marksOfLines[mark];
    const marked = lines.filter(({ text }) => text.trim() !== '');
    const isOff = marked.length > 0 && marked.every(({ text }) => pattern.test(text.trimStart()));
    const changes: ChangeSpec[] = [];
    let count = 0;
    for (const { from, text } of lines) {
      if (text.trim() === '' && lines.length > 1) continue;
      const start = from + text.length - text.trimStart().length;
      const rest = text.trimStart();
      const before = (
        isOff ? pattern : mark === 'quote' ? /^(?!)/ : mark === 'heading' ? marksOfLines.heading : listMark
      ).exec(rest);
      count += 1;
      changes.push({ from: start, to: start + (before?.[0].length ?? 0), insert: isOff ? '' : markOf(mark, count) });
    }
    // The cursor of an empty line goes behind the new mark.
    const set = state.changes(changes);
    dispatch(
      state.update({
        changes: set,
        selection: state.selection.map(set, 1),
        userEvent: 'input.format',
        scrollIntoView: true,
      }),
    );
    return true;
  };
}

function markOf(mark: LineMark, count: number): string {
  return mark === 'number' ? `${count}. ` : { heading: '## ', bullet: '- ', quote: '> ' }[mark];
}

function selectedLines(state: EditorState): { readonly from: number; readonly text: string }[] {
  const lines = new Map<number, { from: number; text: string }>();
  for (const { from, to } of state.selection.ranges) {
    for (let at = from; ;) {
      const line = state.doc.lineAt(at);
      lines.set(line.from, { from: line.from, text: line.text });
      if (line.to >= to) break;
      at = line.to + 1;
    }
  }
  return [...lines.values()].sort((one, other) => one.from - other.from);
}
