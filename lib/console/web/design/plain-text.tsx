import type { ReactNode } from 'react';
import { findAllHidden } from '../../../domain/hidden-characters.ts';

/** Letters and signs of western languages: nothing in them is hidden. */
const harmless = /^[\t\n\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff]*$/u;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/gu;

function placesOf(text: string): number[] {
  const hidden = Array.from(findAllHidden(text)).filter((at) => at !== undefined);
  return [...hidden, ...Array.from(text.matchAll(controls), ({ index }) => index)].sort((a, b) => a - b);
}

/**
 * A text as it is. What would not be seen in it, or would turn the text beside it, is shown by its number. So no text
 * passes for another.
 */
export function PlainText({ text }: { text: string }): ReactNode {
  if (harmless.test(text)) return text;
  const shown: ReactNode[] = [];
  let done = 0;
  for (const at of placesOf(text)) {
    const code = text.codePointAt(at) ?? 0;
    if (at > done) shown.push(text.slice(done, at));
    shown.push(
      <span key={at} className="hidden-character" title="A character that is not seen">
        U+{code.toString(16).toUpperCase().padStart(4, '0')}
      </span>,
    );
    done = at + (code > 0xffff ? 2 : 1);
  }
  return [...shown, text.slice(done)];
}
