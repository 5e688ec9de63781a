const maxFrontMatterLength = 16_000;

/** Where the text goes on after a byte order mark and a leading block between two lines of `---`. */
export function endOfFrontMatter(text: string): number {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  if (!/^\ufeff?---[ \t]*\r?\n/.test(text.slice(0, 80))) return start;
  const closing = /\n---[ \t]*(?:\r?\n|$)/.exec(text.slice(0, maxFrontMatterLength));
  return closing === null ? start : closing.index + closing[0].length;
}
