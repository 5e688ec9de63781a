import { useSyncExternalStore, type ReactNode } from 'react';

let said = '';
let isOdd = false;
const listeners = new Set<() => void>();

/** Has screen readers read a sentence out, when they have finished what they say. */
export function announce(sentence: string): void {
  // The same sentence twice is read twice only if its text differs.
  isOdd = !isOdd;
  said = isOdd ? sentence : `${sentence}\u{a0}`;
  for (const listener of listeners) listener();
}

/** The region that screen readers listen to. One for the whole console. */
export function Announcer(): ReactNode {
  const text = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => said,
  );
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}
