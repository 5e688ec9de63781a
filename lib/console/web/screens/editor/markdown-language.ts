import { defineLanguageFacet, Language, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { GFM, parser } from '@lezer/markdown';

/**
 * Markdown with the extensions that the preview shows too. The ready-made language package brings HTML, CSS and
 * JavaScript with it, which would be four fifths of its size.
 */
export const markdown = new Language(
  defineLanguageFacet({ commentTokens: { block: { open: '<!--', close: '-->' } } }),
  parser.configure([GFM]),
  [],
  'markdown',
);

/** Whether the place lies in a block of code, where the marks of lists mean nothing. */
export function isInCode(state: EditorState, at: number): boolean {
  let node: { readonly name: string; readonly parent: unknown } | null = syntaxTree(state).resolveInner(at, -1);
  while (node !== null) {
    if (node.name === 'FencedCode' || node.name === 'CodeBlock') return true;
    node = node.parent as typeof node;
  }
  return false;
}
