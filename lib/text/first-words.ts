/** The beginning of a text, on one line of at most so many UTF-16 units. Never half a character. */
export function firstWords(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  return `${line.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
