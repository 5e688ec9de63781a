/** Time and chance come in from outside, so that tests decide them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export interface Randomness {
  /** That many unpredictable bytes. */
  bytes(count: number): Uint8Array;
}

const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i;

/**
 * Reads a time of RFC 3339, whose seconds may be missing.
 * @returns milliseconds since 1970; undefined when it is none
 */
export function parseTime(text: string): number | undefined {
  const time = timePattern.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** RFC 3339 in UTC with milliseconds, the only form of time that leaves the service. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
