/** Calls back later. Given from outside, so that a test decides when. */
export interface Timers {
  /**
   * Calls once after some milliseconds. It does not keep the process alive.
   * @returns takes it back
   */
  after(milliseconds: number, work: () => void): () => void;
}

/** Node cannot wait for longer in one go. Milliseconds. */
const longest = 2_000_000_000;

/** The system's timers. */
export const systemTimers: Timers = {
  after(milliseconds, work) {
    const timer = setTimeout(work, Math.min(milliseconds, longest)).unref();
    return () => clearTimeout(timer);
  },
};
