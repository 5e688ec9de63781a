import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { syntaxHighlighting } from '@codemirror/language';
import { classHighlighter } from '@lezer/highlight';
import { openSearchPanel, search, searchKeymap } from '@codemirror/search';
import {
  Compartment,
  EditorState,
  Prec,
  type Extension,
  type StateCommand,
  type TransactionSpec,
} from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, placeholder } from '@codemirror/view';
import { nonce } from '../../navigation/addresses.ts';
import { continueList } from './continue-list.js';
import { insertLink, toggleMark } from './format-markdown.js';
import { markdown } from './markdown-language.js';

interface Listener {
  readonly onChange: () => void;
  readonly onSave: () => void;
}

/**
 * The source of a document in CodeMirror. It keeps every character, and marks the ones that cannot be seen. It lives
 * longer than its place on the page.
 */
export class SourceView {
  readonly #writing = new Compartment();
  #state: EditorState;
  #view: EditorView | undefined;
  #listener: Listener | undefined;

  /** @param initial with LF line ends */
  constructor(initial: string, isMarkdown: boolean) {
    this.#state = EditorState.create({ doc: initial, extensions: this.#makeExtensions(isMarkdown) });
  }

  /** Shows the editor in an element. @returns takes it away again, with all that was written kept */
  readonly mount = (parent: Element): (() => void) => {
    const view = new EditorView({ parent, state: this.#state });
    this.#view = view;
    return () => {
      this.#state = view.state;
      this.#view = undefined;
      view.destroy();
    };
  };

  listen(listener: Listener): void {
    this.#listener = listener;
  }

  setReadOnly(isReadOnly: boolean): void {
    this.#dispatch({ effects: this.#writing.reconfigure(EditorState.readOnly.of(isReadOnly)) });
  }

  /** With LF line ends. */
  read(): string {
    return this.#current.doc.toString();
  }

  /** Puts a text in place of the whole. It can be undone. */
  write(text: string): void {
    const { length } = this.#current.doc;
    this.#dispatch({ changes: { from: 0, to: length, insert: text }, selection: { anchor: 0 } });
  }

  run(command: StateCommand): void {
    if (this.#view === undefined) return;
    command(this.#view);
    this.#view.focus();
  }

  focus(): void {
    this.#view?.focus();
  }

  openSearch(): void {
    if (this.#view !== undefined) openSearchPanel(this.#view);
  }

  get #current(): EditorState {
    return this.#view?.state ?? this.#state;
  }

  #dispatch(change: TransactionSpec): void {
    if (this.#view === undefined) this.#state = this.#state.update(change).state;
    else this.#view.dispatch(change);
  }

  #makeExtensions(isMarkdown: boolean): Extension {
    const save = (): boolean => {
      this.#listener?.onSave();
      return true;
    };
    const keys = [
      { key: 'Mod-s', run: save, preventDefault: true, stopPropagation: true },
      ...(isMarkdown
        ? [
            { key: 'Mod-b', run: toggleMark('**') },
            { key: 'Mod-i', run: toggleMark('_') },
            { key: 'Mod-e', run: toggleMark('`') },
            // Elsewhere in the console this key opens the search.
            { key: 'Mod-k', run: insertLink, preventDefault: true, stopPropagation: true },
            { key: 'Enter', run: continueList },
          ]
        : []),
    ];
    return [
      EditorView.cspNonce.of(nonce),
      this.#writing.of(EditorState.readOnly.of(false)),
      history(),
      highlightSpecialChars(),
      EditorView.lineWrapping,
      EditorView.perLineTextDirection.of(true),
      EditorState.tabSize.of(4),
      EditorView.contentAttributes.of({
        'aria-label': 'Text of the document',
        spellcheck: 'true',
        autocapitalize: 'sentences',
      }),
      placeholder('Write here'),
      search({ top: true }),
      Prec.high(keymap.of(keys)),
      // Tab is not among these keys: it leaves the editor, as everywhere on the page. Mod-] and Mod-[ indent.
      keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      isMarkdown ? [markdown.extension, syntaxHighlighting(classHighlighter)] : [],
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged) this.#listener?.onChange();
      }),
    ];
  }
}
