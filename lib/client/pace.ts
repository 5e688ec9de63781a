/** Time and chance of the transport. Tests set their own. */
export interface Pace {
  /** Milliseconds since 1970. */
  now(): number;
  /** From 0 up to 1. */
  random(): number;
  /** Resolves after so many milliseconds. @throws the signal's reason when it is aborted */
  wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  /** A new Idempotency-Key. */
  newKey(): string;
}

/** The time and chance of the machine. */
export const usualPace: Pace = {
  now: () => Date.now(),
  random: () => Math.random(),
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, milliseconds);
      if (signal?.aborted === true) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    }),
  // Browsers have `randomUUID` only over HTTPS.
  newKey: () =>
    [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
};
