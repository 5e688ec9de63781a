import type { ReactNode } from 'react';
import { useNow } from './now.ts';

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const exactToSecond = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** "3 hours ago", "in 5 minutes", "just now". @param now milliseconds since 1970 */
export function formatRelative(at: number, now: number): string {
  const seconds = (at - now) / 1000;
  const found = units.find(([, size]) => Math.abs(seconds) >= size);
  if (found === undefined) return 'just now';
  return relative.format(Math.trunc(seconds / found[1]), found[0]);
}

/** Date and minute in the browser's time zone. */
export function formatExact(at: string | number): string {
  return exact.format(new Date(at));
}

/**
 * A moment: relative by default, with the exact time in the browser's zone as its tooltip.
 * @param at RFC 3339, as the API gives it
 */
export function Time({ at, form = 'relative' }: { at: string; form?: 'relative' | 'exact' }): ReactNode {
  const now = useNow();
  const time = new Date(at).getTime();
  return (
    <time dateTime={at} title={exactToSecond.format(time)}>
      {form === 'exact' ? exact.format(time) : formatRelative(time, now)}
    </time>
  );
}
