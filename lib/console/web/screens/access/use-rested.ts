import { useEffect, useState } from 'react';

/** A text that follows another one once it has rested for a moment: one request for a word, not one a letter. */
export function useRested(text: string, milliseconds = 200): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(text), milliseconds);
    return () => window.clearTimeout(timer);
  }, [text, milliseconds]);
  return rested;
}
