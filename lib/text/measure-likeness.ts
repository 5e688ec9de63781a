/** Maximum of units compared. */
const maxCompared = 100;

/** The pairs of neighbouring characters of a word, with their numbers. Case does not count. */
function countPairs(word: string): ReadonlyMap<string, number> {
  const small = ` ${word.slice(0, maxCompared).toLowerCase()} `;
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < small.length; at += 1) {
    const pair = small.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

const sum = (pairs: ReadonlyMap<string, number>): number => [...pairs.values()].reduce((all, count) => all + count, 0);

/**
 * Measures how like other words are to one, by the pairs of neighbouring characters that they have in common.
 * @returns a function from another word to 0 (nothing in common) up to 1 (the same but for case)
 */
export function likenessTo(word: string): (other: string) => number {
  const mine = countPairs(word);
  const size = sum(mine);
  return (other) => {
    const theirs = countPairs(other);
    let common = 0;
    for (const [pair, count] of theirs) common += Math.min(count, mine.get(pair) ?? 0);
    return (2 * common) / (size + sum(theirs));
  };
}
