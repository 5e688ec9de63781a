/** Lines between two pauses. */
const linesBetweenPauses = 50_000;

/**
 * Returns a function from an offset (UTF-16 units) to its line in the text, counted from 1. Goes through the text once,
 * with pauses on the way; each call then takes a few steps.
 */
export function* numberLines(text: string): Generator<void, (offset: number) => number> {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    starts.push(at + 1);
    if (starts.length % linesBetweenPauses === 0) yield;
  }
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

export function countLineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
