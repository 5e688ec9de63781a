/** How far back, in words. Milliseconds. */
export const spans: readonly { readonly name: string; readonly length: number }[] = [
  { name: 'The last 15 minutes', length: 15 * 60_000 },
  { name: 'The last hour', length: 60 * 60_000 },
  { name: 'The last 4 hours', length: 4 * 60 * 60_000 },
  { name: 'The last day', length: 24 * 60 * 60_000 },
  { name: 'The last 7 days', length: 7 * 24 * 60 * 60_000 },
];

/** The moment so long ago, as the API takes it. */
export const timeAgo = (length: number): string => new Date(Date.now() - length).toISOString();

/** As the browser's field for date and time writes a moment, in its zone. */
export function toLocalField(at: string): string {
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
