import type { ReactNode } from 'react';

/** Characters that are not seen, or that turn text around them: controls but tab, marks of direction, zero widths. */
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
const pieces = /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff])/u;

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * A text as it is, on its own: what would not be seen, or would turn the text beside it, is shown by its number. No text
 * can pass for another this way.
 */
export function PlainText({ text }: { text: string }): ReactNode {
  if (!hidden.test(text)) return text;
  return text.split(pieces).map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      <span key={index} className="hidden-character" title="A character that is not seen">
        {nameOf(piece)}
      </span>
    ),
  );
}
