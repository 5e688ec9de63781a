/** How texts are cut into chunks. UTF-16 units. */
export interface ChunkLengths {
  /** A text up to this length is one piece, and so is what is left of a longer one. */
  readonly whole: number;
  /** About the length of a chunk. */
  readonly usual: number;
}

/**
 * About 600 words. Longer chunks rank passages of books lower, and shorter ones rank single documents lower; both were
 * measured (decision 0385).
 */
export const usualChunks: ChunkLengths = { whole: 8192, usual: 6144 };

/**
 * Where the chunks of a text start: before a heading, else after a blank line, at a line, after a sentence without spaces,
 * or at a blank. No chunk is longer than `whole`, and only the last one can be shorter than two thirds of `usual`.
 * @returns one start, 0, for a text that stays whole
 */
export function cutChunks(text: string, { whole, usual }: ChunkLengths = usualChunks): number[] {
  const starts = [0];
  for (let start = 0; text.length - start > whole;) {
    start = endOfChunk(text, start + Math.floor((2 * usual) / 3), start + usual, start + whole);
    starts.push(start);
  }
  return starts;
}

function endOfChunk(text: string, least: number, usual: number, most: number): number {
  const room = text.slice(least, most);
  const heading = room.lastIndexOf('\n#');
  if (heading >= 0) return least + heading + 1;
  for (const sign of ['\n\n', '\n', '。', ' ']) {
    const at = room.lastIndexOf(sign, usual - least);
    if (at >= 0) return least + at + sign.length;
  }
  return isLowSurrogate(text.charCodeAt(usual)) ? usual - 1 : usual;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
