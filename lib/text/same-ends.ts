/** Units (UTF-16) that two texts have in common at their start. */
export function sameAtStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  return same;
}

/** Units that they have in common at their end. @param before units at the start that are not compared */
export function sameAtEnd(a: string, b: string, before = 0): number {
  const most = Math.min(a.length, b.length) - before;
  let same = 0;
  while (same < most && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same)) same += 1;
  return same;
}
