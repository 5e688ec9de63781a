import { memo, useEffect, useRef, type ReactNode } from 'react';
import type { HiddenMarks } from './hidden-text.ts';
import { makeScrollable } from './make-scrollable.ts';

interface Piece {
  readonly at: number;
  readonly text: string;
  /** The name of the hidden character that stands here. */
  readonly hidden?: string;
}

/** A text as it is stored, with the numbers of its lines. Hidden characters are shown by their codes. */
export const Source = memo(function Source({ text, hidden }: { text: string; hidden: HiddenMarks }): ReactNode {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const numbers = Array.from({ length: Math.max(1, lines) }, (_, index) => index + 1).join('\n');
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (element.current !== null) makeScrollable(element.current, 'Source');
  }, [text]);
  return (
    <div className="source" ref={element}>
      <pre className="source-numbers" aria-hidden>
        {numbers}
      </pre>
      <pre className="source-text">
        <code>
          {piecesOf(text, hidden).map(({ at, text: piece, hidden: name }) =>
            name === undefined ? (
              <span key={at} data-at={at}>
                {piece}
              </span>
            ) : (
              <mark key={at} data-at={at} data-hidden className="hidden-character" title={name}>
                {piece}
              </mark>
            ),
          )}
        </code>
      </pre>
    </div>
  );
});

function piecesOf(text: string, { marks }: HiddenMarks): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const mark of marks) {
    if (mark.at > at) pieces.push({ at, text: text.slice(at, mark.at) });
    pieces.push({ at: mark.at, text: mark.code, hidden: mark.name });
    at = mark.at + mark.length;
  }
  if (at < text.length || pieces.length === 0) pieces.push({ at, text: text.slice(at) });
  return pieces;
}
