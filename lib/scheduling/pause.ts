import type { Timers } from './timers.js';

/** The system's timers, which keep the process alive: for work that a program waits for before it ends. */
export const wakefulTimers: Timers = {
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
};

/**
 * Waits.
 * @throws the reason of the signal, as soon as it aborts
 */
export async function pause(milliseconds: number, signal: AbortSignal, timers: Timers): Promise<void> {
  signal.throwIfAborted();
  let abort = (): void => undefined;
  let forget = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      abort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      forget = timers.after(milliseconds, resolve);
    });
  } finally {
    forget();
    signal.removeEventListener('abort', abort);
  }
}
