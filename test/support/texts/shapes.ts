/** So many UTF-16 units of a text made of one piece, cut between two characters. */
export function fill(piece: string, length: number): string {
  const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, Math.floor(length));
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

/** Two halves, the worst case where order or the end decides. */
const halves = (first: string, second: string, length: number): string =>
  fill(first, Math.floor(length / 2)) + fill(second, Math.ceil(length / 2));

/** Texts of any length, each the worst case of some reader. */
export const shapes: Readonly<Record<string, (length: number) => string>> = {
  blanks: (length) => ` ${fill(' ', length - 2)}x`,
  'one letter': (length) => `${fill('a', length - 1)}b`,
  'one letter, with another in the middle': (length) => `${halves('a', 'a', length - 1)}b`.replace(/^(a{999})a/, '$1b'),
  'short words': (length) => fill('a b ', length),
  'a period of two': (length) => `${fill('ab', length - 2)}ac`,
  'line feeds': (length) => fill('\n', length),
  'ends of lines in two characters': (length) => fill('\r\n', length),
  headings: (length) => fill('# a\n', length),
  'underlined headings': (length) => fill('a\n=\n', length),
  'opened fences': (length) => fill('```\n~~~\n', length),
  brackets: (length) => fill('[a](', length),
  'digits between brackets': (length) => `> ${fill('1', length - 3)}>`,
  'marks of emphasis': (length) => fill('*a _b **c ~d', length),
  'backticks and entities': (length) => fill('`a ``b ```c &amp;', length),
  'definitions and rows': (length) => fill('[a]: b\n|c[a]d\n', length),
  tags: (length) => fill('<a <title', length),
  'front matter': (length) => `---\ntitle:${fill(' ', 0.9 * length)}${fill('x', 0.05 * length)}\n---\n`,
  'front matter of titles': (length) => `---\n${fill('title: "\n', 0.9 * length)}\n---\n`,
  quotes: (length) => fill('" "', length),
  'commas and tags': (length) => `x,${fill(' ', length - 3)}"`,
  'marks out of order': (length) => `a${halves('\u0301', '\u0323', length - 1)}`,
  'marks of Han out of order': (length) => `漢${halves('\u302c', '\u302a', length - 1)}`,
  'runs of marks out of order': (length) => fill(`a${'\u0301'.repeat(50)}${'\u0323'.repeat(50)}`, length),
  'runs of marks of Han out of order': (length) => fill(`漢${'\u302c'.repeat(510)}${'\u302a'.repeat(510)}`, length),
  'mixed marks': (length) => fill('a\u0301\u0327\u0323', length),
  Han: (length) => fill('漢', length),
  'letters that stand for many': (length) => fill('\ufdfa ', length),
  'what nobody sees': (length) => fill('\u200b', length),
  joiners: (length) => fill('👨\u200d', length),
  'what nobody sees within words': (length) => fill('a\u00ad', length),
  'words without repeats': (length) => {
    const words: string[] = [];
    for (let count = 0, taken = 0; taken < length; count += 1) {
      words.push(count.toString(36));
      taken += words[count]?.length ?? 0;
    }
    return words.join(' ').slice(0, length);
  },
};
