import { useSyncExternalStore } from 'react';

const everyHalfMinute = 30_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: number | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, everyHalfMinute);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

/** The current time in milliseconds since 1970, renewed twice a minute: one timer for all relative times on a page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
