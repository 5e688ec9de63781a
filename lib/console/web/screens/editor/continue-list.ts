import { EditorSelection, type ChangeSpec, type EditorState, type StateCommand } from '@codemirror/state';
import { isInCode } from './markdown-language.js';

/** Blanks and quotation marks, then the mark of an item, then its box. */
const itemPattern =
  /^(?<lead>[ \t]{0,80}(?:>(?: ?>){0,9}[ \t]{0,40})?)(?<mark>[-*+]|(?<count>\d{1,9})(?<dot>[.)]))(?<gap> {1,4})(?<box>\[[ xX]\] )?/;
const quotePattern = /^(?:> ?){1,10}/;

/** The start of the next line after a list item or in a quotation; undefined elsewhere. */
interface Continuation {
  /** How far the line's own mark reaches. */
  readonly length: number;
  readonly next: string;
}

function continuationOf(text: string): Continuation | undefined {
  const item = itemPattern.exec(text);
  if (item !== null) {
    const { lead = '', mark = '', count, dot = '', gap = ' ', box } = item.groups ?? {};
    const next = count === undefined ? mark : `${Number(count) + 1}${dot}`;
    return { length: item[0].length, next: `${lead}${next}${gap}${box === undefined ? '' : '[ ] '}` };
  }
  const quote = quotePattern.exec(text);
  return quote === null ? undefined : { length: quote[0].length, next: quote[0] };
}

/**
 * Enter in a list or quotation: the next line starts with its mark. On an item without words it ends the list instead.
 * Items that follow in a numbered list are counted on.
 */
export const continueList: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly || state.selection.ranges.length > 1) return false;
  const { main } = state.selection;
  const line = state.doc.lineAt(main.from);
  const found = continuationOf(line.text);
  if (found === undefined || main.from < line.from + found.length || isInCode(state, main.from)) return false;
  const isEmpty = line.text.slice(found.length).trim() === '' && main.empty;
  if (isEmpty) {
    const changes = { from: line.from, to: line.to };
    dispatch(
      state.update({
        changes,
        selection: EditorSelection.cursor(line.from),
        userEvent: 'delete',
        scrollIntoView: true,
      }),
    );
    return true;
  }
  // Blanks at the break would stand at the end of one line or before the words of the next.
  const after = state.sliceDoc(main.to, state.doc.lineAt(main.to).to);
  const changes: ChangeSpec[] = [
    {
      from: main.from,
      to: main.to + after.length - after.trimStart().length,
      insert: `${state.lineBreak}${found.next}`,
    },
    ...countOn(state, state.doc.lineAt(main.to).number, found.next),
  ];
  const selection = EditorSelection.cursor(main.from + 1 + found.next.length);
  dispatch(state.update({ changes, selection, userEvent: 'input', scrollIntoView: true }));
  return true;
};

/** Items counted on at most. */
const maxCounted = 200;

/** New numbers for the items right below, as long as they count on without a gap. */
function countOn(state: EditorState, after: number, next: string): ChangeSpec[] {
  const changes: ChangeSpec[] = [];
  const added = itemPattern.exec(next)?.groups;
  if (added?.['count'] === undefined) return changes;
  let expected = Number(added['count']);
  for (let number = after + 1; number <= Math.min(state.doc.lines, after + maxCounted); number += 1) {
    const line = state.doc.line(number);
    const groups = itemPattern.exec(line.text)?.groups;
    if (groups?.['count'] === undefined || groups['lead'] !== added['lead'] || Number(groups['count']) !== expected)
      break;
    const from = line.from + (groups['lead'] ?? '').length;
    expected += 1;
    changes.push({ from, to: from + groups['count'].length, insert: String(expected) });
  }
  return changes;
}
