/**
 * A copy of a text. The engine keeps the whole of a long text for a short piece that was cut from it, so a piece that
 * is stored for long has to be copied.
 */
export function copyString(text: string): string {
  // UTF-16, since a text of a source can hold half a character.
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** A copy of a text; undefined when it has more characters. */
export function copyShortString(text: string | undefined, most: number): string | undefined {
  return text === undefined || text.length > most ? undefined : copyString(text);
}
