/** Number of equal units (UTF-16) at the start of two texts. */
export function sameAtStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  return same;
}

/** Number of equal units at their end. @param before units at the start to leave out */
export function sameAtEnd(a: string, b: string, before = 0): number {
  const most = Math.min(a.length, b.length) - before;
  let same = 0;
  while (same < most && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same)) same += 1;
  return same;
}
