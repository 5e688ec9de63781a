/** The groups that a page set holds, by its name. */
export interface SetRange {
  /** 0 for one that holds the whole file. */
  readonly first: number;
  readonly last: number;
}

/**
 * Chooses the sets that make the file as it was after a group: a whole one, and sets that follow one another without a
 * gap. Few and large ones are preferred to many small ones.
 * @param sets those of one epoch, in any order
 * @returns in the order in which they are applied; undefined where a set is missing
 */
export function joinSets<Range extends SetRange>(sets: readonly Range[], last: number): Range[] | undefined {
  const usable = sets.filter((set) => set.last <= last && set.first <= set.last);
  const byFirst = new Map<number, Range[]>();
  for (const set of usable) byFirst.set(set.first, [...(byFirst.get(set.first) ?? []), set]);
  for (const list of byFirst.values()) list.sort((a, b) => b.last - a.last);
  // From the groups that a chain ends with to the set that it came by: each end is reached once.
  const reachedBy = new Map<number, Range>();
  const wholes = byFirst.get(0) ?? [];
  for (const whole of wholes) {
    let ends = [whole.last];
    reachedBy.set(whole.last, whole);
    while (ends.length > 0 && !reachedBy.has(last)) {
      const next: number[] = [];
      for (const end of ends) {
        for (const set of byFirst.get(end + 1) ?? []) {
          if (reachedBy.has(set.last)) continue;
          reachedBy.set(set.last, set);
          next.push(set.last);
        }
      }
      ends = next;
    }
    if (reachedBy.has(last)) return chainTo(reachedBy, last);
  }
  return undefined;
}

function chainTo<Range extends SetRange>(reachedBy: ReadonlyMap<number, Range>, last: number): Range[] {
  const chain: Range[] = [];
  for (let set = reachedBy.get(last); set !== undefined;) {
    chain.push(set);
    set = set.first === 0 ? undefined : reachedBy.get(set.first - 1);
  }
  return chain.toReversed();
}

/** The last group up to which sets join: what a restore to the newest moment makes. Undefined without a whole set. */
export function newestGroup(sets: readonly SetRange[]): number | undefined {
  const reached = new Set(sets.filter(({ first }) => first === 0).map(({ last }) => last));
  for (const { first, last } of sets.toSorted((a, b) => a.first - b.first || a.last - b.last)) {
    if (first > 0 && reached.has(first - 1)) reached.add(last);
  }
  return reached.size === 0 ? undefined : Math.max(...reached);
}
