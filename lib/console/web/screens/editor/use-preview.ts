import { useEffect, useRef, useState } from 'react';

/** Longer texts are shown on demand, so that typing stays quick. UTF-16 units. */
const maxLiveLength = 200_000;
/** Milliseconds after a change. */
const pause = 200;

/** The text of the preview, a moment behind the editor. */
export interface PreviewText {
  readonly text: string;
  /** Whether the text is so long that its preview waits to be asked. */
  readonly isBehind: boolean;
  readonly noteChange: () => void;
  readonly update: () => void;
}

/** @param read the text of the editor */
export function usePreview(read: () => string): PreviewText {
  const [shown, setShown] = useState(() => ({ text: read(), isBehind: false }));
  const timer = useRef<number>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const update = (): void => setShown({ text: read(), isBehind: false });
  return {
    ...shown,
    update,
    noteChange: () => {
      timer.current ??= window.setTimeout(() => {
        timer.current = undefined;
        const text = read();
        if (text.length > maxLiveLength) setShown((before) => ({ ...before, isBehind: true }));
        else setShown({ text, isBehind: false });
      }, pause);
    },
  };
}
