/** Where the chain must at least reach, as learnt elsewhere: from a commit, or from someone who wrote it down. */
export interface KnownHead {
  /** 0 where a commit says nothing of the chain. */
  readonly seq: number;
  readonly hash: string;
  /** Who says so, for the message: `commit 1f0c…`. */
  readonly witness?: string;
  /** The commit of a clone that says so; these are given in the order of the history. */
  readonly commit?: string;
  /** That commit carries a restart of the chain: from this earlier one. */
  readonly restartedFrom?: string;
}

export interface ArrangedHeads {
  readonly bySeq: ReadonlyMap<number, readonly KnownHead[]>;
  /** The one that lies furthest on. */
  readonly furthest: KnownHead | undefined;
}

/** Known heads by their numbers. */
export function arrangeHeads(known: readonly KnownHead[]): ArrangedHeads {
  const bySeq = new Map<number, KnownHead[]>();
  let furthest: KnownHead | undefined;
  for (const head of known) {
    bySeq.set(head.seq, [...(bySeq.get(head.seq) ?? []), head]);
    if (head.seq > (furthest?.seq ?? 0)) furthest = head;
  }
  return { bySeq, furthest };
}

/** The rest of a sentence: what the head is known by. */
export function nameHead(known: KnownHead): string {
  return known.witness === undefined ? 'was witnessed elsewhere' : `${known.witness} bears witness of`;
}

/**
 * What still bears witness of a chain that was restarted from a commit: the later commits of a clone, and every head
 * that was noted outside of one.
 * @returns undefined where there is a clone and it does not know the commit. It can have lost the commit by an erase; the
 *   commit that carries the restart names it then.
 */
export function witnessesSince(
  witnesses: readonly KnownHead[],
  commit: string | null,
): readonly KnownHead[] | undefined {
  const ofClone = witnesses.filter((head) => head.commit !== undefined);
  const noted = witnesses.filter((head) => head.commit === undefined);
  if (ofClone.length === 0) return noted;
  const itself = ofClone.findLastIndex((head) => head.commit === commit);
  const carrier = ofClone.findLastIndex((head) => head.restartedFrom === commit);
  if (itself < 0 && carrier < 0) return undefined;
  return [...noted, ...ofClone.slice(itself < 0 ? carrier : itself + 1)];
}
