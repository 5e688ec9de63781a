/**
 * The text without its trailing characters that are among the given ones. A loop, because a pattern takes quadratic
 * time for a run of them elsewhere in the text.
 * @param characters each of one UTF-16 unit
 */
export function dropTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
