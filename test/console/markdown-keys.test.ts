import assert from 'node:assert/strict';
import { EditorSelection, EditorState, type StateCommand } from '@codemirror/state';
import { continueList } from '../../lib/console/web/screens/editor/continue-list.js';
import { insertLink, toggleLines, toggleMark } from '../../lib/console/web/screens/editor/format-markdown.js';
import { markdown } from '../../lib/console/web/screens/editor/markdown-language.js';

describe('the Markdown keys of the editor', () => {
  it('mark words, and take the marks away', () => {
    const bold = toggleMark('**');
    assert.equal(after('a ‹word› b', bold), 'a **‹word›** b');
    assert.equal(after('a **‹word›** b', bold), 'a ‹word› b');
    assert.equal(after('a ‹**word**› b', bold), 'a ‹word› b');
    assert.equal(after('a‹ word ›b', bold), 'a **‹word›** b');
    assert.equal(after('a wo|rd b', bold), 'a **wo|rd** b');
    assert.equal(after('a **wo|rd** b', bold), 'a wo|rd b');
    assert.equal(after('|', toggleMark('_')), '_|_');
    assert.equal(after('_|_', toggleMark('_')), '|');
    assert.equal(after('_wo|rd_', toggleMark('_')), 'wo|rd');
    assert.equal(after('‹x›', toggleMark('`')), '`‹x›`');
  });

  it('make a link of words, or of an address', () => {
    assert.equal(after('see ‹here›.', insertLink), 'see [here](|).');
    assert.equal(after('see ‹https://example.org/a›.', insertLink), 'see [|](https://example.org/a).');
    assert.equal(after('see |', insertLink), 'see [|]()');
  });

  it('make lines a heading, a list or a quotation, and back', () => {
    assert.equal(after('|Title', toggleLines('heading')), '## |Title');
    assert.equal(after('# Ti|tle', toggleLines('heading')), 'Ti|tle');
    assert.equal(after('‹a\nb\n\nc›', toggleLines('number')), '1. ‹a\n2. b\n\n3. c›');
    assert.equal(after('‹1. a\n2. b›', toggleLines('bullet')), '‹- a\n- b›');
    assert.equal(after('- a\n‹- b\n- c›', toggleLines('bullet')), '- a\n‹b\nc›');
    assert.equal(after('|', toggleLines('quote')), '> |');
  });

  it('continue a list or a quotation on Enter', () => {
    assert.equal(after('- a|', continueList), '- a\n- |');
    assert.equal(after('  * a| b', continueList), '  * a\n  * |b');
    assert.equal(after('- [x] done|', continueList), '- [x] done\n- [ ] |');
    assert.equal(after('> said|', continueList), '> said\n> |');
    assert.equal(after('> - a|', continueList), '> - a\n> - |');
    assert.equal(after('1. a|\n2. b\n3. c\n\n4. d', continueList), '1. a\n2. |\n3. b\n4. c\n\n4. d');
    assert.equal(after('9) a|', continueList), '9) a\n10) |');
  });

  it('end a list on an item without words', () => {
    assert.equal(after('- a\n- |', continueList), '- a\n|');
    assert.equal(after('> |', continueList), '|');
  });

  it('leave Enter alone in plain text, in code and before a mark', () => {
    assert.equal(after('plain|', continueList), undefined);
    assert.equal(after('|- a', continueList), undefined);
    assert.equal(after('```\n- a|\n```', continueList), undefined);
    assert.equal(after('-- a|', continueList), undefined);
  });
});

/** A text with its selection between ‹ and ›; both in one place are the cursor |. */
function stateOf(marked: string): EditorState {
  const anchor = marked.search(/[‹|]/);
  const bare = marked.replace(/[‹|]/, '');
  const head = bare.search(/›/);
  const doc = bare.replace('›', '');
  const selection = EditorSelection.single(anchor, head < 0 ? anchor : head);
  return EditorState.create({ doc, selection, extensions: [markdown] });
}

function after(marked: string, command: StateCommand): string | undefined {
  let state = stateOf(marked);
  const isDone = command({ state, dispatch: (transaction) => (state = transaction.state) });
  if (!isDone) return undefined;
  const { from, to, empty } = state.selection.main;
  const text = state.doc.toString();
  return empty
    ? `${text.slice(0, from)}|${text.slice(from)}`
    : `${text.slice(0, from)}‹${text.slice(from, to)}›${text.slice(to)}`;
}
