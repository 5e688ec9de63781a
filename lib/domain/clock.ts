/** Time and chance come in from outside, so tests decide them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Milliseconds since a moment of its own, for measuring how long ago something was. Steady when the time of day
   * changes.
   */
  elapsed(): number;
}

export interface Randomness {
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
}

const timePattern = /^(\d{4}-\d{2}-\d{2})[t\s](\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?(?:z|([+-])(\d{2})(?::?(\d{2}))?)$/i;
const day = 24 * 60 * 60;

/**
 * Reads a time of RFC 3339; its seconds may be missing. Takes everything that JSON Schema's format `date-time` admits
 * as checked here, so every time that passes that check has a meaning. This includes leap seconds, which last into the
 * next day, and offsets without minutes or colon.
 * @returns milliseconds since 1970; undefined for other texts
 */
export function parseTime(text: string): number | undefined {
  const [whole, date = '', hour, minute, second = '0', fraction = '0', sign, offsetHour = '0', offsetMinute = '0'] =
    timePattern.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const midnight = Date.parse(`${date}T00:00Z`);
  // Date takes the thirtieth of February for the second of March.
  if (Number.isNaN(midnight) || !formatTime(midnight).startsWith(date)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(offsetHour) > 23 || Number(offsetMinute) > 59)
    return undefined;
  const offset = (sign === '-' ? -60 : 60) * (Number(offsetHour) * 60 + Number(offsetMinute));
  const seconds = midnight / 1000 + (Number(hour) * 60 + Number(minute)) * 60 + Number(second) - offset;
  const isLeap = second === '60' && seconds % day === 0;
  if (Number(second) > 59 && !isLeap) return undefined;
  return seconds * 1000 + Math.floor(Number(fraction) * 1000);
}

/** RFC 3339 in UTC with milliseconds, the only form in which a time leaves the service. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The same for a time that may not have come. */
export function formatTimeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : formatTime(milliseconds);
}
