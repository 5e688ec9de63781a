import type { Heading } from './outline.js';

/**
 * Finds a heading again in a newer text whose writer may have renamed it, or added others with its words: at its place
 * between the headings that stayed.
 *
 * @param before the headings of the older text
 * @param after those of the newer one
 * @returns undefined where there is no such place
 */
export function followHeading(
  before: readonly Heading[],
  after: readonly Heading[],
  { id, title }: Heading,
): Heading | undefined {
  const byId = after.find((heading) => heading.id === id);
  // Where one of several headings with these words is renamed or another is added, the numbers of the others change.
  if (byId !== undefined && countTitled(after, title) === countTitled(before, title)) return byId;
  const at = before.findIndex((heading) => heading.id === id);
  const most = Math.min(before.length, after.length);
  let first = 0;
  while (first < most && before[first]?.title === after[first]?.title) first += 1;
  let last = 0;
  while (last < most - first && before.at(-1 - last)?.title === after.at(-1 - last)?.title) last += 1;
  if (at < first) return after[at];
  if (at >= before.length - last) return after[at + after.length - before.length];
  const isOneForOne = before.length === after.length;
  if (!isOneForOne && at !== first) return byId;
  return at < after.length - last ? after[at] : byId;
}

function countTitled(headings: readonly Heading[], title: string): number {
  return headings.filter((heading) => heading.title === title).length;
}
