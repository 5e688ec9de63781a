/** Time and chance come in from outside, so that tests decide them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export interface Randomness {
  /** That many unpredictable bytes. */
  bytes(count: number): Uint8Array;
}

/** RFC 3339 in UTC with milliseconds, the only form of time that leaves the service. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
