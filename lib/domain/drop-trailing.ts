/**
 * The text without those of its last characters that are among the given ones. By hand: a pattern for it takes the
 * square of a run of them that stands elsewhere in the text.
 * @param characters each of one UTF-16 unit
 */
export function dropTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
