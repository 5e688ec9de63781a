import { useSyncExternalStore } from 'react';

/** Whether the last request was answered. */
export type Connection = 'well' | 'unreachable' | 'unavailable' | 'signed-out';

let connection: Connection = 'well';
const listeners = new Set<() => void>();

/** @param status of an answer; undefined where none came */
export function noteAnswer(status: number | undefined): void {
  const next =
    status === undefined
      ? 'unreachable'
      : status === 503 || status === 502
        ? 'unavailable'
        : status === 401
          ? 'signed-out'
          : 'well';
  if (next === connection) return;
  connection = next;
  for (const listener of listeners) listener();
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connection,
  );
}
