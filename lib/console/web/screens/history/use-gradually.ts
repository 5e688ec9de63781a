import { useEffect, useState } from 'react';

/**
 * How many parts of a long list to show: some at once, and a few more whenever the browser has nothing better to do, up
 * to a bound. A long list never keeps the page from answering this way.
 * @returns the number of shown parts, and a function that asks for at least so many
 */
export function useGradually(parts: number, most: number, step = 4): [number, (atLeast: number) => void] {
  const [shown, setShown] = useState(step);
  const [bound, setBound] = useState(most);
  const target = Math.min(parts, bound);
  useEffect(() => {
    if (shown >= target) return undefined;
    // A timer and not a frame: a page in the background has none.
    const timer = window.setTimeout(() => setShown((before) => Math.min(before + step, target)), 0);
    return () => window.clearTimeout(timer);
  }, [shown, target, step]);
  const ask = (atLeast: number): void => {
    setBound((before) => Math.max(before, atLeast));
    setShown((before) => Math.max(before, Math.min(atLeast, parts)));
  };
  return [Math.min(shown, parts), ask];
}
